import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { testApp } from '../support/app.ts'
import { entraStandIn } from '../support/entra-stand-in.ts'
import { issueTokens, type Side } from '../support/issued-tokens.ts'
import { tokenDoors } from '../support/token-doors.ts'
import { addParty, type Party } from '../support/token-party.ts'

const entra = entraStandIn()
const app = testApp({ hasAgents: true, fetchFromEntra: entra.fetchDocument })
const parties: Party[] = []
let address = ''
const doors = tokenDoors(app, () => address)

before(async () => {
  await app.ready
  address = await app.app.listen({ host: '127.0.0.1', port: 0 })
  for (const name of ['Globex', 'Initech']) parties.push(await addParty({ app, entra, address }, name))
})

/** What both have given out, the other one first: some of it is good for a minute, and once. */
async function sidesOf(party: Party): Promise<Side[]> {
  const sides: Side[] = []
  // A person may have five that are not used.
  await app.db.deleteFrom('bypass_codes').execute()
  for (const one of parties.toSorted((one) => (one === party ? 1 : -1))) {
    sides.push({ party: one, issued: await issueTokens(app, one) })
  }
  return sides
}

const tokensOf = (sides: readonly Side[]) =>
  sides.flatMap((of) => Object.entries(of.issued.tokens).map(([kind, text]) => ({ of, kind, text })))

test('there is one of each token, and no two are alike', async () => {
  const [party = assert.fail()] = parties
  const tokens = tokensOf(await sidesOf(party))
  for (const { kind, text } of tokens) assert.ok(text.length >= 11, kind)
  assert.equal(new Set(tokens.map(({ text }) => text)).size, tokens.length)
})

for (const [name, door] of Object.entries(doors)) {
  test(`${name}: opened by what it takes of its own organization alone (${door.takes.join(', ')})`, async () => {
    for (const party of parties) {
      const sides = await sidesOf(party)
      const [, side = assert.fail()] = sides
      const isRight = ({ of, kind }: { of: Side; kind: string }) =>
        of === side && (door.takes as readonly string[]).includes(kind)
      const tokens = tokensOf(sides)
      for (const token of [...tokens.filter((one) => !isRight(one)), ...tokens.filter(isRight)]) {
        const what = `the ${token.kind} of ${token.of.party.name} at ${name} of ${party.name}`
        assert.equal(await door.isOpened(side, token.text), isRight(token), what)
      }
    }
  })
}
