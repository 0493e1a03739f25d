import assert from 'node:assert/strict'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { printedKey, until } from '../support/muster-process.ts'
import { osqueryClient } from '../support/osquery-client.ts'
import { openRunPlace } from '../support/run-place.ts'

const place = await openRunPlace({ after })

const draft = {
  name: 'Motd is short',
  slug: 'motd-is-short',
  description: 'Reads the message of the day.',
  platforms: ['linux'],
  issue_title: 'The message of the day is long',
  rationale_template: 'Nobody reads long messages.',
}
const passing = `SELECT 'PASS' AS KOLIDE_CHECK_STATUS, size FROM file WHERE path = '/etc/motd';\n`

test('a custom check is drafted, published, edited and deleted on the command line of a running server', async () => {
  const server = await place.start(['start', '--no-agent'])
  const key = await printedKey(server)
  const ask = (path: string) => server.ask('GET', path, { key })
  const done = async (...args: string[]) => {
    const { exit, out, err } = await place.run(args)
    assert.deepEqual({ exit, err }, { exit: 0, err: '' }, args.join(' '))
    return out.trimEnd()
  }
  const [file, sqlFile, textFile] = ['draft.json', 'query.sql', 'fix.md'].map((name) => join(place.dataDir, name))
  assert.ok(file && sqlFile && textFile)
  await writeFile(file, JSON.stringify(draft))
  await writeFile(sqlFile, passing.replace('PASS', 'FAIL'))
  await writeFile(textFile, '1. Shorten it.\n')

  const id = await done('drafts', 'create', '--file', file, '--name', 'Motd', '--sql-file', sqlFile)
  assert.equal(
    await done('drafts', 'show', id),
    `Draft ${id}: Motd (motd-is-short), not published
osquery_sql: good
notification_templates: missing
  - fix_instructions_template is missing
details: good
privacy_center_details: missing
  - privacy_info is missing
It cannot be published yet.`,
  )
  const refused = await place.run(['drafts', 'publish', id])
  assert.equal(refused.exit, 2)
  assert.match(refused.err, /^The draft cannot be published as it is\.\n {2}notification-templates-status is missing: /)
  const fixing = ['--fix-instructions-file', textFile, '--privacy-info', 'The size of /etc/motd.']
  assert.equal(await done('drafts', 'edit', id, ...fixing), `Draft ${id} is changed`)
  assert.equal(await done('drafts', 'edit', id, ...fixing), `Draft ${id} is as it was`)
  const unknown = await place.run(['drafts', 'edit', id, '--platform', 'ios'])
  assert.equal(unknown.exit, 2)
  assert.match(unknown.err, /platforms\/0 must be one of darwin, windows, linux/)
  const checkId = await done('drafts', 'publish', id)

  const client = osqueryClient(server.origin.replace('localhost', '127.0.0.1'))
  try {
    await client.enroll((await readFile(join(place.dataDir, 'enroll_secret'), 'utf8')).trim())
    const answer = (sql: string) => ({
      rows: [{ KOLIDE_CHECK_STATUS: sql.includes("'FAIL'") ? 'FAIL' : 'PASS', size: '9' }],
    })
    let isOver = false
    const running = place.run(['drafts', 'run', id, '--device', '1', '--wait', '30']).finally(() => {
      isOver = true
    })
    await until(
      40_000,
      async () => {
        await client.answerAll(answer)
        return isOver
      },
      500,
    )
    const tried = await running
    assert.deepEqual([tried.exit, tried.err], [0, 'Live query 1\n'])
    assert.match(tried.out, /"KOLIDE_CHECK_STATUS":"FAIL"/)
    const openIssues = async (): Promise<number> =>
      (await ask(`/issues?query=${encodeURIComponent(`check_id:${checkId} AND resolved_at:null`)}`)).body.data.length
    await until(10_000, async () => (await openIssues()) === 1, 250)

    await writeFile(sqlFile, passing)
    await done('drafts', 'edit', id, '--sql-file', sqlFile, '--interval-minutes', '5')
    assert.equal(await done('drafts', 'publish', id), checkId)
    assert.equal((await ask(`/checks/${checkId}`)).body.osquery_sql_template, passing.trim())
    await until(
      10_000,
      async () => {
        await client.answerAll(answer)
        return (await openIssues()) === 0
      },
      500,
    )
  } finally {
    client.close()
  }

  assert.match(
    await done('drafts', 'list'),
    new RegExp(`\n${id} +motd-is-short +Motd +publishable +published as check ${checkId}$`),
  )
  const asFile = JSON.parse(await done('drafts', 'show', id, '--json'))
  assert.deepEqual(
    [asFile.name, asFile.osquery_sql, asFile.interval_minutes, asFile.template_data_examples],
    ['Motd', passing.trim(), 5, []],
  )
  await done('checks', 'delete', checkId)
  await until(10_000, async () => (await ask(`/issues?query=check_id:${checkId}`)).body.data.length === 0, 250)
  assert.equal((await ask(`/checks/${checkId}`)).status, 404)
  await until(10_000, async () => (await done('drafts', 'show', id)).endsWith('It can be published.'), 250)
  assert.equal(await done('drafts', 'delete', id), 'The draft Motd is deleted')
  assert.equal((await place.run(['drafts', 'show', id])).exit, 5)
  const provided = await place.run(['checks', 'delete', '1'])
  assert.deepEqual(
    [provided.exit, provided.err.trim()],
    [1, 'A check that comes with Muster cannot be deleted; pause it.'],
  )
  assert.equal(await server.stop(), 0)
})
