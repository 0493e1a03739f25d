/** What is read together, so that one receiver's many do not keep the others' few waiting. */
const maxInRound = 512
const maxWorksInRound = 256
const maxWindow = 256
const minWindow = 16

/**
 * Which works read in a round, and how much each: as much as they want of a window that shrinks as they become many, so
 * that no more than about `maxInMemory` are held. Lowers the `room` of what they want.
 */
export function shareRound<Want extends { room: number }, Work extends { want(window: number): Want | undefined }>(
  works: readonly Work[],
  maxInMemory: number,
): { work: Work; want: Want }[] {
  const window = Math.max(minWindow, Math.min(maxWindow, Math.floor(maxInMemory / works.length)))
  const asking: { work: Work; want: Want }[] = []
  for (const work of works) {
    const want = asking.length < maxWorksInRound ? work.want(window) : undefined
    if (want) asking.push({ work, want })
  }
  const most = Math.max(2, Math.floor(maxInRound / asking.length))
  for (const { want } of asking) want.room = Math.min(want.room, most)
  return asking
}
