// Odd: one bit for each position, 1 if the player to move wins. How many stones there are tells who
// that is.

extern "C" {

// For each full board, a bit for each smallest group that counts: 1 if an odd number counts.
__global__ void odd_numbers_of_groups(unsigned* parities, int cells, int side)
{
    unsigned white = blockIdx.x * blockDim.x + threadIdx.x;
    if (white >= 1u << cells)
        return;
    unsigned left, right, all = (1u << cells) - 1, odd = 0;
    edges(cells, side, &left, &right);
    for (int colour = 0; colour < 2; colour++)
        for (unsigned set = colour ? white : ~white & all; set;) {
            unsigned group = group_of(set, side, left, right);
            odd ^= (2u << __popc(group)) - 2u;
            set &= ~group;
        }
    parities[white] = odd;
}

__global__ void solve_layer(
    unsigned* own, const unsigned* fuller, const unsigned short* subsets, const int* rank,
    int high, int low, int empty_high, int words, const unsigned short* order, const int* offsets,
    const unsigned short* empties, const unsigned short* whites, const unsigned short* exchanged,
    int side, const unsigned* parities, int min_group, unsigned long long* counts)
{
    extern __shared__ unsigned char wins[];
    __shared__ long long children[32];
    unsigned* wins_by_four = (unsigned*) wins;
    int filled = high - empty_high, power[16];
    long long block = blockIdx.x;
    unsigned empty = subsets[block >> filled], colours = block & ((1u << filled) - 1);
    powers_of_three(power);
    if (threadIdx.x < high && empty >> threadIdx.x & 1)
        find_children(children, empty, colours, rank, filled);
    __syncthreads();
    for (int word = threadIdx.x; word < words; word += blockDim.x) {
        unsigned won = 0;
        for (int child = 0; child < 2 * empty_high; child++)
            won |= ~fuller[children[child] * words + word];
        for (int nibble = 0; nibble < 8; nibble++)
            wins_by_four[8 * word + nibble] = spread(won, nibble);
    }
    __syncthreads();
    for (int empty_low = 0; empty_low <= low; empty_low++) {
        unsigned won = 0;
        for (int n = offsets[empty_low] + threadIdx.x; n < offsets[empty_low + 1]; n += blockDim.x) {
            int at = order[n];
            unsigned value = wins[at];
            if (empty_high + empty_low == 0) {
                // Black wins with an odd number, and is to move if an even number of stones lies.
                unsigned odd = parities[colours << low | whites[at]] >> min_group & 1u;
                value = odd ^ (high + low) % 2;
            }
            for (unsigned left = empties[at]; left && !value; left &= left - 1) {
                int step = power[__ffs(left) - 1];
                value = !(wins[at - step] & wins[at - 2 * step]);
            }
            wins[at] = value;
            won += value;
        }
        count(counts + empty_high + empty_low, won);
        __syncthreads();
    }
    for (int word = threadIdx.x; word < words; word += blockDim.x) {
        unsigned bits = 0;
        for (int nibble = 0; nibble < 8; nibble++)
            bits |= gathered(wins_by_four[8 * word + nibble], nibble);
        own[block * words + word] = bits;
    }
}

}
