import Type from 'typebox'
import { transact } from '../../base/db/transact.ts'
import { defineCommand } from '../data-command.ts'
import { organizationOf, terminalChange } from '../organization-of.ts'
import { madeUpPerson, simulateExemptionRequest, simulateRegistrationRequest } from '../simulated-requests.ts'

/** mulberry32: the same requests for the same seed and data. */
function seeded(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

export const simulateRequestsCommand = defineCommand({
  name: 'simulate-requests',
  args: Type.Object({
    organization: Type.Optional(Type.String()),
    count: Type.Integer({ minimum: 1, maximum: 10_000 }),
    seed: Type.Integer({ minimum: 0 }),
  }),
  async run({ connection, now }, { organization, count, seed }, io) {
    const { id: organizationId, name } = await organizationOf(connection.db, organization)
    await io.line(`Simulating ${count} requests in ${name}: nobody made them, and their messages say so.`)
    const random = seeded(seed)
    let raised = 0
    for (let turn = 0; turn < count && !io.signal.aborted; turn += 1) {
      const about = { random, context: terminalChange(organizationId, now, 'user') }
      const person = await transact(connection.db, (tx) => madeUpPerson(tx, about))
      const simulation = { ...about, person }
      const inTurn =
        turn % 2 === 0
          ? [simulateExemptionRequest, simulateRegistrationRequest]
          : [simulateRegistrationRequest, simulateExemptionRequest]
      const line = await transact(connection.db, async (tx) => {
        for (const simulate of inTurn) {
          const sentence = await simulate(tx, simulation)
          if (sentence !== undefined) return sentence
        }
        return undefined
      })
      if (line === undefined) {
        await io.line('There is nothing left to ask for: no open issue without a request, and no device.')
        break
      }
      raised += 1
      await io.line(line)
    }
    await io.line(`Simulated ${raised} requests: muster requests list shows them`)
  },
})
