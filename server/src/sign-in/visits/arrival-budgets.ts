import type { Clock } from '../../base/clock.ts'
import { networkOf, siteOf } from '../../base/network-of.ts'
import { spendingBudget } from '../../base/spending-budget.ts'
import { limits } from '../sessions/session-rules.ts'
import type { KnownAgent } from './known-agent.ts'

/** A request to begin a sign-in. `isSigned`: it is refused unless its caller has signed it. */
export type Arriving = { clientId: string; address: string; isSigned: boolean; agent?: KnownAgent | undefined }

/** What clients that nobody has are counted as: anyone may name any number of them. */
export const unknownClient = 'unknown client'

/** What a site may ask, which has 65,536 networks, in shares of one network. */
const networksOfSite = 10
const asked = { burst: limits.begun, perSecond: limits.begun / (limits.windowMs / 1000) }
/** Where a stranger's requests end at the signature that they lack: an office may be behind one address. */
const askedToBeSigned = { burst: 600, perSecond: 10 }
/** Sign-ins that begin at one client, of whatever network. */
const begunAtClient = { burst: 3_000, perSecond: 100, maxKeys: 1_000 }

/** Whose sign-ins are counted together: those of a network, and of a browser whose cookie names an agent that is known. */
const arrivesAs = ({ agent, address }: Pick<Arriving, 'agent' | 'address'>): string =>
  agent ? `agent ${agent.deviceId}` : networkOf(address)

/** What may be asked of one process, by network, and begin at it, by client: what is refused costs other networks nothing. */
export function arrivalBudgets(clock: Clock, onRefused: (clientId: string) => void) {
  const ofNetworks = networkBudgets(asked, clock)
  const ofSignedNetworks = networkBudgets(askedToBeSigned, clock)
  const ofClients = spendingBudget(begunAtClient, clock)
  const budgetOf = ({ isSigned }: Arriving) => (isSigned ? ofSignedNetworks : ofNetworks)
  const isOfClient = ({ isSigned, agent }: Arriving) => !isSigned && !agent

  /**
   * Whether a request may begin a sign-in, before anything is read or written for it. The browser of a known agent has a share
   * of its own, wherever it is: strangers, who do not have its cookie, cannot take it.
   */
  function mayArrive(arriving: Arriving): boolean {
    const isClientSpent = isOfClient(arriving) && ofClients.isSpent(arriving.clientId)
    const may = !isClientSpent && budgetOf(arriving).take(arriving)
    if (!may) onRefused(arriving.clientId)
    return may
  }

  /**
   * A request was not answered by a fault of ours, such as a database that is down: who asks again is not kept out for it once
   * that is over. Until the database was read a client is unknown, and its office has one share with every stranger there.
   */
  const takeBack = (arriving: Arriving): void => budgetOf(arriving).giveBack(arriving)

  /**
   * Takes a share of the client for a sign-in that begins, before it does, as others may begin at the same time. Returns what gives
   * it back; undefined where all are taken. Known browsers and signed requests need none.
   */
  function takeShare(arriving: Arriving): (() => void) | undefined {
    const { clientId } = arriving
    if (!isOfClient(arriving)) return () => {}
    if (ofClients.isSpent(clientId)) return undefined
    ofClients.spend(clientId)
    return () => ofClients.giveBack(clientId)
  }

  const ofSignOuts = networkBudgets(askedToBeSigned, clock)
  /** Whether a network may ask to be signed out. It leaves no row. */
  const maySignOut = (address: string): boolean => ofSignOuts.take({ clientId: '', address, isSigned: false })

  return { mayArrive, takeBack, takeShare, maySignOut }
}

/**
 * Counts requests by client and network, and by client and site: a network that has none left costs its site nothing. Networks
 * that are forgotten, as others are too many, begin anew: nobody is kept out by that, and their sites still count.
 */
function networkBudgets({ burst, perSecond }: { burst: number; perSecond: number }, clock: Clock) {
  const ofNetwork = spendingBudget({ burst, perSecond }, clock)
  const ofSite = spendingBudget({ burst: networksOfSite * burst, perSecond: networksOfSite * perSecond }, clock)
  function keysOf(arriving: Arriving): { network: string; site: string } {
    const network = `${arrivesAs(arriving)} ${arriving.clientId}`
    return { network, site: arriving.agent ? network : `${siteOf(arriving.address)} ${arriving.clientId}` }
  }
  return {
    take(arriving: Arriving): boolean {
      const { network, site } = keysOf(arriving)
      if (ofNetwork.isSpent(network) || ofSite.isSpent(site)) return false
      ofNetwork.spend(network)
      ofSite.spend(site)
      return true
    },
    giveBack(arriving: Arriving): void {
      const { network, site } = keysOf(arriving)
      ofNetwork.giveBack(network)
      ofSite.giveBack(site)
    },
  }
}
