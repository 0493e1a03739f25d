import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

test('what is shipped names the versions that the project has', () => {
  const { version, dependencies } = JSON.parse(read('package.json')) as {
    version: string
    dependencies: Record<string, string>
  }
  const image = read('deploy/container/Containerfile')
  const found = {
    node: /^FROM docker\.io\/library\/node:([\d.]+)-/m.exec(image)?.[1],
    image: /image\.version="([^"]+)"/.exec(image)?.[1],
    compose: /^ {2}image: muster:(\S+)$/m.exec(read('deploy/compose/compose.yaml'))?.[1],
    chart: /^version: "?([^"\n]+)"?$/m.exec(read('deploy/helm/muster/Chart.yaml'))?.[1],
    application: /^appVersion: "?([^"\n]+)"?$/m.exec(read('deploy/helm/muster/Chart.yaml'))?.[1],
    guide: /--tag muster:(\S+) /.exec(read('docs/containers.md'))?.[1],
    server: (JSON.parse(read('server/package.json')) as { version: string }).version,
  }
  const wanted = {
    image: version,
    compose: version,
    chart: version,
    application: version,
    guide: version,
    server: version,
  }
  assert.deepEqual(found, { node: dependencies['node'], ...wanted })
})
