// Xodd: two bits for each position. REACHES: one drop of Black's turn reaches a position in which
// White, to move after no pass, is lost. LOST: this is such a position. With all colours exchanged
// these are the same facts about White, so a block and its exchanged one are solved together.

#define REACHES 1
#define LOST 2
#define DROPS_WIN 4

extern "C" {

__device__ int number_of_groups(unsigned set, int side, unsigned left, unsigned right)
{
    int number = 0;
    for (; set; number++)
        set &= ~group_of(set, side, left, right);
    return number;
}

__global__ void solve_layer(
    unsigned* own, const unsigned* fuller, const unsigned short* subsets, const int* rank,
    int high, int low, int empty_high, int words, const unsigned short* order, const int* offsets,
    const unsigned short* empties, const unsigned short* whites, const unsigned short* exchanged,
    int side, const unsigned* parities, int min_group, unsigned long long* counts)
{
    extern __shared__ unsigned char shared[];
    __shared__ long long children[2][32];
    int filled = high - empty_high, power[16];
    // The block without stones on high cells is its own exchanged one.
    int blocks = filled ? 2 : 1, bits = filled ? filled - 1 : 0;
    unsigned empty = subsets[blockIdx.x >> bits], colours = blockIdx.x & ((1u << bits) - 1);
    unsigned colours_of[2] = {colours, ~colours & ((1u << filled) - 1)};
    unsigned char* facts[2] = {shared, shared + (blocks - 1) * words * 32};
    unsigned left, right, black_high = 0, white_high = 0;
    powers_of_three(power);
    edges(high + low, side, &left, &right);
    for (int cell = 0, stone = 0; cell < high; cell++)
        if (!(empty >> cell & 1)) {
            *(colours >> stone & 1 ? &white_high : &black_high) |= 1u << (low + cell);
            stone++;
        }
    if (threadIdx.x < high && empty >> threadIdx.x & 1)
        for (int each = 0; each < blocks; each++)
            find_children(children[each], empty, colours_of[each], rank, filled);
    __syncthreads();
    for (int each = 0; each < blocks; each++)
        for (int word = threadIdx.x; word < words; word += blockDim.x) {
            unsigned reaches = 0, drops_win = 0;
            for (int child = 0; child < 2 * empty_high; child++) {
                const unsigned* row = fuller + children[each][child] * 2 * words + word;
                drops_win |= row[0];
                reaches |= row[words];
            }
            unsigned* by_four = (unsigned*) facts[each] + 8 * word;
            for (int nibble = 0; nibble < 8; nibble++)
                by_four[nibble] = spread(reaches, nibble) | spread(drops_win, nibble) << 2;
        }
    __syncthreads();
    for (int empty_low = 0; empty_low <= low; empty_low++) {
        int first = offsets[empty_low] + threadIdx.x, end = offsets[empty_low + 1];
        for (int each = 0; each < blocks; each++)
            for (int n = first; n < end; n += blockDim.x) {
                int at = order[n];
                unsigned after = 0, before = facts[each][at];
                for (unsigned left_over = empties[at]; left_over; left_over &= left_over - 1) {
                    int step = power[__ffs(left_over) - 1];
                    after |= facts[each][at - step] | facts[each][at - 2 * step];
                }
                unsigned reaches = before & REACHES || after & LOST;
                unsigned drops_win = before & DROPS_WIN || after & REACHES || reaches;
                facts[each][at] = (reaches ? REACHES : 0) | (drops_win ? DROPS_WIN : 0);
            }
        __syncthreads();
        unsigned ends_of_turns = 0, lost = 0;
        for (int n = first; n < end; n += blockDim.x) {
            int at = order[n], there = exchanged[at];
            unsigned white_low = whites[at], black_low = ~(empties[at] | white_low) & ((1u << low) - 1);
            int black = number_of_groups(black_high | black_low, side, left, right);
            int white = number_of_groups(white_high | white_low, side, left, right);
            if ((black + white) % 2 == 0)
                continue;
            // White loses if no drop wins, and if Black, after a pass, passes too and has fewer
            // groups, or drops.
            unsigned black_drops = facts[0][at] & DROPS_WIN, white_drops = facts[1][there] & DROPS_WIN;
            unsigned white_loses = !white_drops && (black < white || black_drops);
            unsigned black_loses = !black_drops && (white < black || white_drops);
            if (white_loses)
                facts[0][at] |= LOST;
            ends_of_turns += blocks;
            lost += white_loses;
            if (blocks == 2 && black_loses)
                facts[1][there] |= LOST;
            lost += blocks == 2 && black_loses;
        }
        count(counts + 2 * (empty_high + empty_low), ends_of_turns);
        count(counts + 2 * (empty_high + empty_low) + 1, lost);
        __syncthreads();
    }
    for (int each = 0; each < blocks; each++) {
        unsigned* row = own + ((long long) rank[empty] << filled | colours_of[each]) * 2 * words;
        for (int word = threadIdx.x; word < words; word += blockDim.x) {
            unsigned reaches = 0, lost = 0, *by_four = (unsigned*) facts[each] + 8 * word;
            for (int nibble = 0; nibble < 8; nibble++) {
                reaches |= gathered(by_four[nibble], nibble);
                lost |= gathered(by_four[nibble] >> 1, nibble);
            }
            row[word] = reaches;
            row[words + word] = lost;
        }
    }
}

}
