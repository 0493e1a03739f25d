/** The memory that one body holds of a share. */
export type Holding = {
  readonly party: string
  readonly startedAtMs: number
  bytes: number
  /** Ends the reading of the body, which must release the holding; undefined once the body is complete. */
  giveUp: (() => void) | undefined
}

type Party = { bytes: number; holdings: Set<Holding> }

export type MemoryShare = ReturnType<typeof memoryShare>

/**
 * A fixed amount of memory for the bodies of many parties. When it runs short, the party that holds most gives up the
 * unfinished body that has cost most, in bytes times its age: a client that holds memory back loses it, and a sender that
 * is quick keeps its own.
 */
export function memoryShare({ maxBytes, maxPartyBytes }: { maxBytes: number; maxPartyBytes: number }) {
  const parties = new Map<string, Party>()
  let heldBytes = 0

  function open(party: string, startedAtMs: number, giveUp: () => void): Holding {
    const holding = { party, startedAtMs, bytes: 0, giveUp }
    const known = parties.get(party)
    if (known) known.holdings.add(holding)
    else parties.set(party, { bytes: 0, holdings: new Set([holding]) })
    return holding
  }

  /** Adds bytes to a holding. Bodies may be given up for it, this one included. */
  function grow(holding: Holding, bytes: number, nowMs: number): void {
    const party = parties.get(holding.party)
    if (!party?.holdings.has(holding)) return
    holding.bytes += bytes
    party.bytes += bytes
    heldBytes += bytes
    while (party.holdings.has(holding)) {
      const isPartyOver = party.bytes > maxPartyBytes
      if (!isPartyOver && heldBytes <= maxBytes) return
      const costliest = costliestOf(isPartyOver ? party : heaviest(), nowMs) ?? holding
      if (costliest.giveUp) costliest.giveUp()
      release(costliest)
    }
  }

  function release(holding: Holding): void {
    const party = parties.get(holding.party)
    if (!party?.holdings.delete(holding)) return
    party.bytes -= holding.bytes
    heldBytes -= holding.bytes
    if (party.holdings.size === 0) parties.delete(holding.party)
  }

  function heaviest(): Party | undefined {
    let found: Party | undefined
    for (const party of parties.values()) if (!found || party.bytes > found.bytes) found = party
    return found
  }

  return { open, grow, release, heldBytes: () => heldBytes }
}

function costliestOf(party: Party | undefined, nowMs: number): Holding | undefined {
  let found: Holding | undefined
  let highest = -1
  for (const holding of party?.holdings ?? []) {
    const cost = holding.giveUp ? holding.bytes * (nowMs - holding.startedAtMs) : -1
    if (cost > highest) [found, highest] = [holding, cost]
  }
  return found
}
