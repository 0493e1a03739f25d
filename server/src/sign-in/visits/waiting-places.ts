type Pool = { size: number; taken: number; ofOrganization: Map<string, number> }

type Waiting = {
  id: string
  organizationId: string
  /** Whether somebody has signed for the person of the sign-in. */
  isAsserted: boolean
}

/**
 * The places of sign-ins whose pages wait, in two pools: what strangers may open takes none from people who were signed for. In
 * a pool no organization holds more places than it leaves free, so there is always one for another.
 */
export function waitingPlaces(sizes: { asserted: number; others: number }) {
  const newPool = (size: number): Pool => ({ size, taken: 0, ofOrganization: new Map() })
  const [asserted, others] = [newPool(sizes.asserted), newPool(sizes.others)]
  const held = new Map<string, { pages: number; giveBack: () => void }>()

  /**
   * Takes a place for a page. All pages of a sign-in share one, of the pool in which the first of them took it. Returns what
   * gives it back, to be called once; undefined where none is left.
   */
  function take({ id, organizationId, isAsserted }: Waiting): (() => void) | undefined {
    const pool = isAsserted ? asserted : others
    const place = held.get(id) ?? (hasRoom(pool, organizationId) ? newPlace(pool, organizationId) : undefined)
    if (!place) return undefined
    place.pages += 1
    held.set(id, place)
    return () => {
      place.pages -= 1
      if (place.pages > 0) return
      held.delete(id)
      place.giveBack()
    }
  }

  return { take }
}

const hasRoom = ({ size, taken, ofOrganization }: Pool, organizationId: string): boolean =>
  (ofOrganization.get(organizationId) ?? 0) + 1 <= size - (taken + 1)

function newPlace(pool: Pool, organizationId: string) {
  const count = (change: 1 | -1) => {
    pool.taken += change
    const own = (pool.ofOrganization.get(organizationId) ?? 0) + change
    if (own > 0) pool.ofOrganization.set(organizationId, own)
    else pool.ofOrganization.delete(organizationId)
  }
  count(1)
  return { pages: 0, giveBack: () => count(-1) }
}
