import { tooBusy } from '../../base/errors.ts'
import { turnsByOrganization } from '../../base/jobs/turns-by-organization.ts'

/** Each takes a connection for as long as its statements, of which a list of 5,000 lines has three. */
const limits = { atOnce: 2, maxWaiting: 200, maxWaitingOfOne: 10, maxWaitMs: 10_000 }

/** Turns for the lists of owners of one process, so that one organization's do not keep another from the database. */
export const ownerListTurns = () =>
  turnsByOrganization(limits, () => tooBusy('Too many lists of owners are being read. Try again in a few seconds.'))
