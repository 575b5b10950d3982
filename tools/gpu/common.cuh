// What both games share: the blocks that a drop leads to, and bits as bytes of shared memory.

// The number of a block: of its set of empty high cells among those of its layer, then a bit for
// the colour of each high cell with a stone, from the first cell up (1 is white).
__device__ void find_children(long long* children, unsigned empty, unsigned colours, const int* rank, int filled)
{
    int cell = threadIdx.x;
    int before = __popc(empty & ((1u << cell) - 1)), stones_below = cell - before;
    unsigned below = colours & ((1u << stones_below) - 1), above = colours >> stones_below;
    long long first = (long long) rank[empty & ~(1u << cell)] << (filled + 1);
    children[2 * before] = first | (above << (stones_below + 1)) | below;
    children[2 * before + 1] = children[2 * before] | (1u << stones_below);
}

// Four bits as the lowest bits of four bytes, and back.
__device__ unsigned spread(unsigned word, int nibble)
{
    return ((word >> (4 * nibble) & 15u) * 0x00204081u) & 0x01010101u;
}

__device__ unsigned gathered(unsigned bytes, int nibble)
{
    bytes &= 0x01010101u;
    return ((bytes | bytes >> 7 | bytes >> 14 | bytes >> 21) & 15u) << (4 * nibble);
}

// The cells that are connected to the lowest one of a set.
__device__ unsigned group_of(unsigned set, int side, unsigned left, unsigned right)
{
    unsigned group = set & (0u - set), before = 0;
    while (group != before) {
        before = group;
        group |= (group << side | group >> side | (group & ~right) << 1 | (group & ~left) >> 1) & set;
    }
    return group;
}

__device__ void edges(int cells, int side, unsigned* left, unsigned* right)
{
    *left = *right = 0;
    for (int cell = 0; cell < cells; cell += side) {
        *left |= 1u << cell;
        *right |= 1u << (cell + side - 1);
    }
}

// Adds up what the threads of a warp have counted.
__device__ void count(unsigned long long* total, unsigned number)
{
    for (int step = 16; step; step >>= 1)
        number += __shfl_down_sync(~0u, number, step);
    if (threadIdx.x % 32 == 0 && number)
        atomicAdd(total, (unsigned long long) number);
}

__device__ void powers_of_three(int* power)
{
    power[0] = 1;
    for (int n = 1; n < 16; n++)
        power[n] = 3 * power[n - 1];
}
