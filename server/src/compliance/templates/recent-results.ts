const maxCharacters = 4_000_000

/**
 * Remembers what a function answered for a text, or how it failed, for as long as it is among the last ones asked for: some
 * megabytes of them. The function must depend on nothing else.
 */
export function recentResults<Result extends string>(): (key: string, make: () => Result) => Result {
  const kept = new Map<string, { size: number; answer: () => Result }>()
  let characters = 0
  return (key, make) => {
    const found = kept.get(key)
    if (found) {
      kept.delete(key)
      kept.set(key, found)
      return found.answer()
    }
    const answer = outcomeOf(make)
    const size = key.length + answer.length
    if (size > maxCharacters / 4) return answer.get()
    kept.set(key, { size, answer: answer.get })
    characters += size
    for (const [oldest, { size: freed }] of kept) {
      if (characters <= maxCharacters) break
      kept.delete(oldest)
      characters -= freed
    }
    return answer.get()
  }
}

function outcomeOf<Result extends string>(make: () => Result): { length: number; get: () => Result } {
  try {
    const result = make()
    return { length: result.length, get: () => result }
  } catch (error) {
    return {
      length: String(error).length,
      get: () => {
        throw error
      },
    }
  }
}
