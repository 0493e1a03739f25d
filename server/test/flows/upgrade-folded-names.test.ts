import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { surveyDuplicates } from '../../src/access/scim/survey-duplicates.ts'
import { findAccounts } from '../../src/access/sessions/queries.ts'
import { systemChange } from '../../src/base/change-context.ts'
import { migrate } from '../../src/base/db/migrate.ts'
import { transact } from '../../src/base/db/transact.ts'
import { judgeSurveys } from '../../src/cli/doctor/judge-surveys.ts'
import { findPersonByEmail } from '../../src/inventory/people/find-person-by-email.ts'
import { updatePerson } from '../../src/inventory/people/update-person.ts'
import { testDatabase } from '../support/database.ts'
import { migrationsBefore } from '../support/migrations-before.ts'

const old = testDatabase(await migrationsBefore('folded_names'))
const at = '2026-11-20T10:00:00.000Z'
const nfc = 'rené@acme.example'.normalize('NFC')
const nfd = nfc.normalize('NFD')

test('an upgrade keeps names that have become one, lists them, and lets no more come', async () => {
  await old.ready
  const { db } = old
  await sql`insert into organizations (name, created_at) values ('Halden', ${at}), ('Orrin', ${at})`.execute(db)
  for (const [organization, email, leftAt] of [
    [1, nfd, at],
    [1, nfc, null],
    [1, nfc.replace('ren', 'ｒｅｎ'), null],
    [2, nfd, null],
  ]) {
    const { rows } = await sql<{ id: string }>`
      insert into people (organization_id, name, email, created_at, deprovisioned_at)
      values (${organization}, 'René', ${email}, ${at}, ${leftAt}) returning id`.execute(db)
    await sql`
      insert into scim_users (organization_id, person_id, user_name, emails, attributes, created_at, updated_at)
      values (${organization}, ${rows[0]?.id}, ${email}, array[lower(${email}::text)], '{}', ${at}, ${at})`.execute(db)
  }
  for (const email of [nfc, nfd]) {
    await sql`
      insert into admin_users (organization_id, first_name, last_name, email, access, created_at)
      values (1, 'René', 'A', ${email}, 'full', ${at})`.execute(db)
  }
  await migrate(old.connection)

  const survey = await surveyDuplicates(db)
  assert.deepEqual(
    survey.listed.map(({ kind, name, organization }) => [kind, name, organization]),
    [
      ['SCIM user', nfc, 'Halden'],
      ['SCIM user', nfc.replace('ren', 'ｒｅｎ'), 'Halden'],
      ['administrator', nfd, 'Halden'],
      ['person', nfd, 'Halden'],
      ['person', nfc.replace('ren', 'ｒｅｎ'), 'Halden'],
    ],
    'of people the first who has not left stays',
  )
  const [finding] = judgeSurveys({ duplicates: survey })
  assert.match(
    finding?.detail ?? '',
    /^the SCIM user "rené@acme\.example" \(2, Halden\) has the same name as an older one/,
  )

  const insert = sql`
    insert into people (organization_id, name, email, created_at)
    values (1, 'René', ${nfc.toUpperCase()}, ${at})`
  await assert.rejects(insert.execute(db), { constraint: 'people_email_key' })
  assert.equal((await findPersonByEmail(db, '1', nfc))?.id, '2')
  assert.equal(
    (await findPersonByEmail(db, '1', 'ｒｅｎé@acme.example'))?.id,
    '3',
    'who has just that address goes first',
  )
  assert.deepEqual(
    (await findAccounts(db, { email: nfd })).map(({ email }) => email),
    [nfd],
    'each of the two signs in with the address as it is written',
  )
  assert.deepEqual(
    (await findAccounts(db, { email: nfc })).map(({ email }) => email),
    [nfc],
  )
  const { rows: users } = await sql<{ emails: string[] }>`select distinct emails from scim_users`.execute(db)
  assert.deepEqual(users, [{ emails: [nfc] }], 'they are found by every form')

  const context = systemChange('1', at)
  const rename = (email: string) =>
    transact(db, (tx) => updatePerson(tx, { personId: '3', name: 'René B', email, usernames: [] }, context))
  await rename(nfc.replace('ren', 'ｒｅｎ'))
  assert.equal((await surveyDuplicates(db)).count, 5, 'a change of something else settles nothing')
  await assert.rejects(rename(nfd), { constraint: 'people_email_key' })
  await rename('rene.b@acme.example')
  assert.deepEqual(
    (await surveyDuplicates(db)).listed.filter(({ kind }) => kind === 'person').map(({ id }) => id),
    ['1'],
    'whoever is renamed is free',
  )
})
