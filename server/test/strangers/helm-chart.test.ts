// Party: helm: go=none
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { loadConfig } from '../../src/base/config/load-config.ts'
import { listSettings } from '../../src/base/config/settings-table.ts'

const root = new URL('../../../', import.meta.url)
const cases = ['minimal', 'everything', 'openshift', 'other-ways']
/** As the image sets them. */
const ofImage = { HOST: '0.0.0.0', MUSTER_WORKER_HOST: '0.0.0.0', MUSTER_DATA_DIR: '/var/lib/muster/data' }

type Manifest = { kind: string; name: string; text: string }

/** Builds helm and the validator where they are not there yet, which takes minutes. */
before(() => void execFileSync('bash', [fileURLToPath(new URL('deploy/helm/check.sh', root))], { stdio: 'pipe' }))

/** What check.sh has left of a case. */
function manifestsOf(name: string): Manifest[] {
  const text = readFileSync(new URL(`.cache/helm/${name}.yaml`, root), 'utf8')
  return text.split(/^---$/m).flatMap((part) => {
    const kind = /^kind: (\w+)$/m.exec(part)?.[1]
    return kind ? [{ kind, name: /^ {2}name: (\S+)$/m.exec(part)?.[1] ?? '', text: part }] : []
  })
}

const withPods = (name: string) => manifestsOf(name).filter(({ kind }) => ['Deployment', 'Job', 'Pod'].includes(kind))
const ofMuster = (name: string) => withPods(name).filter(({ kind }) => kind !== 'Pod')

function manifest(name: string, kind: string, nameOfIt: string): string {
  const found = manifestsOf(name).find((one) => one.kind === kind && one.name === nameOfIt)
  assert.ok(found, `${kind} ${nameOfIt} in ${name}`)
  return found.text
}

/** The variables of a pod that have their value in the manifest, and the names of those that a Secret has. */
function environmentOf(text: string) {
  const values = text.matchAll(/^ +- name: ([A-Z_]+)\n +value: (.+)$/gm)
  const secrets = text.matchAll(/^ +key: ([A-Z_]+)(?:\n +optional: (true|false))?$/gm)
  return {
    values: Object.fromEntries([...values].map(([, name, value = '']) => [name, unquoted(value)])),
    secrets: [...secrets].map(([, name = '', optional]) => ({ name, isOptional: optional === 'true' })),
  }
}

const unquoted = (text: string): string => (text.startsWith('"') ? JSON.parse(text) : text)

/** Secrets of the right form, with those that only an identity provider needs where one is set. */
const secretValues = (values: Record<string, string>) => ({
  DATABASE_URL: 'postgres://muster@db.example.com/muster',
  MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
  ...(values['MUSTER_OIDC_ISSUER'] ? { MUSTER_OIDC_CLIENT_SECRET: 'secret' } : {}),
})

test('every process starts with the environment that the chart gives it', () => {
  for (const name of cases) {
    for (const { name: process, text } of ofMuster(name)) {
      const { values } = environmentOf(text)
      const config = loadConfig({ ...ofImage, ...values, ...secretValues(values) })
      assert.match(config.baseUrl, /^https:\/\/trust\.example\.com/, process)
      assert.ok(Array.isArray(config.trustProxy) && config.trustProxy.length > 0, process)
      assert.equal(config.workerHost, '0.0.0.0')
      assert.equal(config.dataDir, '/var/lib/muster/data')
      assert.deepEqual(config.removedSettings, [])
    }
  }
})

test('values reach Muster as they were written', () => {
  const { values } = environmentOf(manifest('everything', 'Deployment', 'device-trust-server'))
  const config = loadConfig({ ...ofImage, ...values, ...secretValues(values) })
  assert.equal(config.oidc?.name, 'Example "ID"')
  assert.equal(config.rateLimitPerMinute, 1_000_000)
  assert.equal(config.ssfPathIssuers, true)
  assert.equal(config.drainSeconds, 30)
  assert.deepEqual(config.trustProxy, ['10.42.0.0/16', 'fd00:42::/48', 'loopback'])
})

test('every secret setting comes from the Secret, and only two have to be there', () => {
  const secret = listSettings().flatMap(([name, { secret }]) => (secret ? [name] : []))
  for (const { text } of ofMuster('minimal')) {
    const { secrets } = environmentOf(text)
    assert.deepEqual(secrets.map(({ name }) => name).toSorted(), secret.toSorted())
    const required = secrets.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
    assert.deepEqual(required, ['DATABASE_URL', 'MUSTER_MASTER_KEY'])
  }
})

test('env takes every setting that is no secret, and that neither the chart nor the image makes', () => {
  const text = readFileSync(new URL('deploy/helm/muster/values.schema.json', root), 'utf8')
  const schema: { properties: { env: { properties: object } } } = JSON.parse(text)
  const { values } = environmentOf(manifest('minimal', 'Deployment', 'muster-server'))
  const made = [...Object.keys({ ...ofImage, ...values }), 'PORT', 'MUSTER_WORKER_PORT']
  const ofTls = ['MUSTER_TLS_CERT_FILE', 'MUSTER_TLS_KEY_FILE', 'MUSTER_TLS_CA_FILE']
  const open = listSettings().flatMap(([name, { secret }]) => (secret ? [] : [name]))
  assert.deepEqual(Object.keys(schema.properties.env.properties), [
    ...open.filter((name) => ![...made, ...ofTls].includes(name)),
    'NODE_OPTIONS',
  ])
})

test('every pod is restricted, and gets no variables of Services, which Muster would refuse', () => {
  for (const { name, text } of cases.flatMap(withPods)) {
    for (const line of [
      'automountServiceAccountToken: false',
      'enableServiceLinks: false',
      'runAsNonRoot: true',
      'type: RuntimeDefault',
      'allowPrivilegeEscalation: false',
      'readOnlyRootFilesystem: true',
      'drop: [ALL]',
    ]) {
      assert.ok(text.includes(`${line}\n`), `${line} in ${name}`)
    }
  }
})

test('every pod meets the constraint restricted-v2 of OpenShift, as far as a manifest shows it', () => {
  const refused = /^ +(- )?(host\w+|add|privileged|procMount|seLinuxOptions|supplementalGroups|sysctls):/m
  for (const { name, text } of cases.flatMap(withPods)) {
    assert.doesNotMatch(text, refused, name)
    const containers = text.match(/^ +(- )?image: /gm)?.length
    for (const line of [/^ +allowPrivilegeEscalation: false$/gm, /^ +drop: \[ALL\]$/gm]) {
      assert.equal(text.match(line)?.length, containers, `${line} in ${name}`)
    }
  }
})

test('pods have the user and groups of the values, and none by default', () => {
  const numbersOf = ({ text }: Manifest) =>
    [...text.matchAll(/^ +(?:- )?(runAs(?!NonRoot)\w+|fsGroup\w*): (.+)$/gm)].map(([, key, value]) => `${key} ${value}`)
  const wanted = ['fsGroup 1000650000', 'runAsGroup 65532', 'runAsUser 1000650000']
  for (const name of cases) {
    const pods = withPods(name)
    assert.ok(
      pods.some(({ kind }) => kind === 'Pod'),
      'that of helm test',
    )
    for (const pod of pods) {
      assert.deepEqual(
        numbersOf(pod).toSorted(),
        name === 'everything' ? wanted : [],
        `${pod.kind} ${pod.name} in ${name}`,
      )
    }
  }
})

test('the migration comes first, with an account and a way to the database that are there by then', () => {
  const weightOf = (kind: string) => /hook-weight: "(-?\d+)"/.exec(manifest('minimal', kind, 'muster-migrate'))?.[1]
  assert.deepEqual(['ServiceAccount', 'NetworkPolicy', 'Job'].map(weightOf), ['-10', '-10', '0'])
  const job = manifest('minimal', 'Job', 'muster-migrate')
  assert.match(job, /helm\.sh\/hook: pre-install,pre-upgrade/)
  assert.match(job, /serviceAccountName: muster-migrate\n/)
  assert.ok(!manifestsOf('other-ways').some(({ kind }) => ['Job', 'NetworkPolicy', 'ServiceAccount'].includes(kind)))
})

test('metrics of servers and workers are read with the token of the Secret, which has to be there then', () => {
  const monitor = manifest('everything', 'ServiceMonitor', 'device-trust')
  const credentials = /type: Bearer\n +credentials:\n +name: muster-settings\n +key: MUSTER_METRICS_TOKEN/
  assert.match(monitor, credentials)
  assert.match(monitor, /targetLabel: job\n +replacement: muster-\$1\n/)
  for (const component of ['server', 'worker']) {
    const service = manifest('everything', 'Service', `device-trust-${component}`)
    for (const label of ['name: muster', 'instance: muster']) {
      assert.ok([monitor, service].every((text) => text.includes(`app.kubernetes.io/${label}\n`)))
    }
    const { secrets } = environmentOf(manifest('everything', 'Deployment', `device-trust-${component}`))
    assert.equal(secrets.find(({ name }) => name === 'MUSTER_METRICS_TOKEN')?.isOptional, false)
  }
})
