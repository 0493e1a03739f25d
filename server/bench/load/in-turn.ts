/** The same requests over and over. */
export function inTurn(requests: readonly Buffer[]): () => Buffer {
  let turn = 0
  return () => {
    turn = (turn + 1) % requests.length
    return requests[turn] ?? Buffer.alloc(0)
  }
}
