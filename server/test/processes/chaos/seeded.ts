export type Seeded = ReturnType<typeof seeded>

/** Chance that a printed seed repeats, as far as clocks and processes let it. */
export function seeded(seed: number) {
  let state = seed >>> 0
  /** Within [0, 1): mulberry32. */
  function random(): number {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (from: number, to: number): number => from + Math.floor(random() * (to - from + 1))
  function pick<Item>(items: readonly Item[]): Item {
    const item = items[between(0, items.length - 1)]
    if (item === undefined) throw new Error('There is nothing to pick from')
    return item
  }
  return { between, pick, isLikely: (chance: number): boolean => random() < chance }
}
