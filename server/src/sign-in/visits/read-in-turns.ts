/**
 * A read that callers share: at most one is under way for each key, and who asks during it gets the one after, which has begun
 * later than they asked. So a read answers what is true, however many ask, and costs no more than one after the other.
 */
export function readInTurns<Value>(read: (key: string) => Promise<Value>): (key: string) => Promise<Value> {
  const turns = new Map<string, { current: Promise<Value>; next?: Promise<Value> }>()

  function begin(key: string): Promise<Value> {
    const turn: { current: Promise<Value>; next?: Promise<Value> } = { current: read(key) }
    turns.set(key, turn)
    const end = () => {
      if (turns.get(key) === turn && !turn.next) turns.delete(key)
    }
    turn.current.then(end, end)
    return turn.current
  }

  return (key) => {
    const turn = turns.get(key)
    if (!turn) return begin(key)
    turn.next ??= turn.current.then(
      () => begin(key),
      () => begin(key),
    )
    return turn.next
  }
}
