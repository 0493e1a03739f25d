const maxRemembered = 10_000

/** The identifiers of tokens that were taken in, as many as fit: a token that comes again is known by them. */
export function rememberSets() {
  const known = new Set<string>()
  return {
    has: (jti: string): boolean => known.has(jti),
    add(jti: string): void {
      known.add(jti)
      const [oldest] = known
      if (known.size > maxRemembered && oldest !== undefined) known.delete(oldest)
    },
  }
}

export type RememberedSets = ReturnType<typeof rememberSets>
