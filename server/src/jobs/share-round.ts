/** What is read together, so that one receiver's many do not keep the others' few waiting. */
const mostInRound = 512
const mostWorksInRound = 256
const mostWindow = 256
const leastWindow = 16

/**
 * Which works read in a round, and how much each: as much as they want of a window that shrinks as they become many, so
 * that no more than about `mostInMemory` are held. Lowers the `room` of what they want.
 */
export function shareRound<Want extends { room: number }, Work extends { want(window: number): Want | undefined }>(
  works: readonly Work[],
  mostInMemory: number,
): { work: Work; want: Want }[] {
  const window = Math.max(leastWindow, Math.min(mostWindow, Math.floor(mostInMemory / works.length)))
  const asking: { work: Work; want: Want }[] = []
  for (const work of works) {
    const want = asking.length < mostWorksInRound ? work.want(window) : undefined
    if (want) asking.push({ work, want })
  }
  const most = Math.max(2, Math.floor(mostInRound / asking.length))
  for (const { want } of asking) want.room = Math.min(want.room, most)
  return asking
}
