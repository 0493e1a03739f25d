import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PackageAgent } from '@muster/contract/packages.ts'
import { problemOf } from './problem-rules.ts'

const cases: [agent: PackageAgent, baseUrl: string, isRevoked: boolean, problem: RegExp | null][] = [
  ['osquery', 'https://trust.example.com', false, null],
  ['muster_agent', 'https://trust.example.com:8443', false, null],
  ['osquery', 'https://trust.example.com', true, /^Its enrollment secret was revoked/],
  ['osquery', 'http://localhost:8080', false, /^osquery does not talk to http:\/\/localhost:8080 without TLS/],
  ['muster_agent', 'http://10.0.0.1:8080', false, /^The agent does not talk to http:\/\/10\.0\.0\.1:8080 without TLS/],
  ['muster_companion', 'http://10.0.0.1:8080', false, /^The companion does not talk to http:\/\/10\.0\.0\.1:8080/],
  ['muster_companion', 'http://localhost:8080', false, /^Only the server’s own machine reaches/],
  ['muster_agent', 'http://[::1]:8080', false, /^Only the server’s own machine reaches/],
  ['osquery', 'https://localhost:8443', false, /^Only the server’s own machine reaches/],
]

for (const [agent, base_url, isRevoked, problem] of cases) {
  test(`a package of ${agent} at ${base_url}${isRevoked ? ', revoked,' : ''} has ${problem ? 'a' : 'no'} problem`, () => {
    const said = problemOf({
      ...{ agent, base_url, platform: 'linux', architecture: 'any', hasNode: true },
      secret_revoked_at: isRevoked ? '2026-11-20T10:00:00.000Z' : null,
    })
    if (problem) assert.match(said ?? '', problem)
    else assert.equal(said, null)
  })
}

for (const architecture of ['x64', 'arm64'] as const) {
  test(`a package for ${architecture} has a problem where no Node for it is here`, () => {
    const facts = { agent: 'muster_companion', base_url: 'https://trust.example.com', secret_revoked_at: null } as const
    const problem = (platform: 'linux' | 'darwin' | 'windows', hasNode: boolean) =>
      problemOf({ ...facts, platform, architecture, hasNode })
    for (const platform of ['linux', 'darwin', 'windows'] as const) assert.equal(problem(platform, true), null)
    const lack = (system: string) =>
      `This server has no Node for ${system}: run muster packages add-runtime ${system} on it.`
    assert.equal(problem('linux', false), lack(`linux-${architecture}`))
    assert.equal(problem('darwin', false), lack(`darwin-${architecture}`))
    assert.equal(problem('windows', false), lack(`win-${architecture}`))
  })
}

test('the script for Macs has a problem where no Node for any of them is here', () => {
  const facts = { agent: 'muster_companion', base_url: 'https://trust.example.com', secret_revoked_at: null } as const
  const problem = (hasNode: boolean) => problemOf({ ...facts, platform: 'darwin', architecture: 'any', hasNode })
  assert.equal(problem(true), null)
  assert.equal(
    problem(false),
    'This server has no Node for darwin-arm64: run muster packages add-runtime darwin-arm64 on it.',
  )
})
