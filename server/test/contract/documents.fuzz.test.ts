import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { apiVersions } from '@muster/contract/versions.ts'
import { testApp } from '../support/app.ts'
import { populate } from './populate.ts'

const release = '4.32.5'
const folder = fileURLToPath(new URL(`../../../.cache/schemathesis-${release}`, import.meta.url))
const program = `${folder}/bin/schemathesis`
const seed = 3_600
/** Of each version; together an hour. */
const seconds = Number(process.env['MUSTER_FUZZ_SECONDS'] ?? 1_800)

const skip =
  process.env['MUSTER_FUZZ_RUNS'] === undefined
    ? 'takes an hour: npm run fuzz'
    : spawnSync('python3', ['-c', 'import venv, ensurepip']).status !== 0 && 'needs Python 3 with venv'

const run = promisify(execFile)
const harness = skip === false ? testApp() : undefined
let listening: Promise<string> | undefined

/** What has to hold of every answer: no 5xx, and nothing that the document does not say. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
  'response_headers_conformance',
  'allow_header_conformance',
]

async function install(): Promise<void> {
  if (existsSync(program)) return
  await run('python3', ['-m', 'venv', folder])
  await run(`${folder}/bin/pip`, ['install', '--quiet', '--disable-pip-version-check', `schemathesis==${release}`])
}

for (const version of apiVersions) {
  test(`${version}: schemathesis finds no 5xx and no answer that the document does not say`, { skip }, async () => {
    assert.ok(harness)
    await install()
    await harness.ready
    await harness.reset()
    await populate(harness, harness.tenant.organizationId)
    listening ??= harness.app.listen({ host: '127.0.0.1', port: 0 })
    const origin = await listening
    const { stdout } = await run(
      program,
      [
        ...['run', `${origin}/openapi/${version}.json`, '--url', origin, '--no-color', '--continue-on-failure'],
        ...['--header', `Authorization: Bearer ${harness.tenant.key}`],
        ...['--header', `X-Service-Api-Version: ${version}`],
        ...['--checks', checks.join(), '--seed', String(seed), '--max-time', String(seconds)],
      ],
      { cwd: folder, maxBuffer: 2 ** 28 },
    ).catch((error: { stdout?: string }) => ({ stdout: `FAILED\n${error.stdout ?? ''}` }))
    assert.doesNotMatch(stdout, /^FAILED/, stdout.slice(-20_000))
    assert.match(stdout, new RegExp(`Seed: ${seed}`))
  })
}
