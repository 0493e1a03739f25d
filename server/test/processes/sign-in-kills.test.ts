import { testDatabase, testOnPostgres } from '../support/database.ts'
import { freePort } from '../support/muster-process.ts'
import { openPostgresPlace } from '../support/postgres-place.ts'
import { outliveKills, trustingReceivers } from './outlive-kills.ts'

const database = testDatabase()

testOnPostgres('a sign-in outlives kills of the server at each step', async (t) => {
  const port = String(await freePort())
  const baseUrl = `http://localhost:${port}`
  const reached = { ...trustingReceivers(t), PORT: port, MUSTER_BASE_URL: baseUrl }
  const settings = { ...reached, MUSTER_RATE_LIMIT_PER_MINUTE: '1000000' }
  const place = openPostgresPlace(t, { url: database.url, db: database.db }, settings)
  await outliveKills(t, { place, args: ['serve'], baseUrl, keyOf: async () => place.key })
})
