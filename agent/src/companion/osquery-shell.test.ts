import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newAgentFacts } from '../protocol/agent-state.ts'
import { isOfEvents, osqueryShell, sharedFlags } from './osquery-shell.ts'

const daemonFlags = `--tls_hostname=trust.example.com
--enroll_secret_path=/etc/osquery/enroll_secret
--config_plugin=tls
--logger_plugin=tls
--distributed_plugin=tls
--disable_distributed=false
--database_path=/var/osquery/osquery.db
--extensions_autoload=/etc/osquery/extensions.load
--flagfile=/etc/osquery/more.flags
--disable_tables=curl,carves
--read_max=1000000
  -docker_socket=/run/docker.sock
--host_identifier=uuid
# --enable_tables=none
`

test('of the flags of the daemon the shell takes those that change what tables return', () => {
  const taken = ['--disable_tables=curl,carves', '--read_max=1000000', '--docker_socket=/run/docker.sock']
  assert.deepEqual(sharedFlags(daemonFlags), taken)
  assert.deepEqual(sharedFlags(daemonFlags.replaceAll('\n', '\r\n')), taken)
  assert.deepEqual(sharedFlags(''), [])
})

test('the shell reads no flag file, and nothing of the environment that could be one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'muster-shell-'))
  t.after(() => rm(folder, { recursive: true }))
  const program = join(folder, 'osqueryi')
  await writeFile(
    program,
    '#!/bin/sh\nprintf \'[{"arguments":"%s","environment":"%s"}]\' "$*" "$(env | cut -d= -f1 | sort | tr "\\n" " ")"\n',
    {
      mode: 0o755,
    },
  )
  const flagFile = join(folder, 'osquery.flags')
  await writeFile(flagFile, daemonFlags)
  process.env['FLAGS_enroll_secret_path'] = '/etc/osquery/enroll_secret'
  t.after(() => {
    delete process.env['FLAGS_enroll_secret_path']
  })
  const answer = await osqueryShell({ path: program, flags: ['-S'] }, flagFile).run('select 1', newAgentFacts())
  const row = answer.ok ? answer.rows[0] : undefined
  assert.equal(
    row?.['arguments'],
    '-S --flagfile=/dev/null --disable_tables=curl,carves --read_max=1000000 --docker_socket=/run/docker.sock --json  select 1',
  )
  assert.doesNotMatch(row?.['arguments'] ?? '', /config|logger|distributed|enroll|database|tls/)
  assert.doesNotMatch(row?.['environment'] ?? 'FLAGS', /FLAGS|MUSTER|OSQUERY/i)
})

test('tables of events are left to the daemon, which has recorded them', () => {
  assert.equal(isOfEvents('select * from process_events where 1'), true)
  assert.equal(isOfEvents('select * from processes'), false)
})
