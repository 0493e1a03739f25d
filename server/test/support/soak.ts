/** Set by `npm run test:soak`, in which what is random or takes long goes as far as it is meant to. */
export const isSoak = process.env['MUSTER_TEST_SOAK'] !== undefined

/** How far a test goes: a smoke test in an ordinary run, and all the way in a soak. */
export const extent = (ordinary: number, soak: number): number => (isSoak ? soak : ordinary)
