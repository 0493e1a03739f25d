import { existsSync } from 'node:fs'
import { columns, type Query, type Row, type Table } from '../tables/table.ts'
import { findCommand, runCommand } from './run-command.ts'

const socket = '/var/run/docker.sock'
const containersAtOnce = 100

const missing = (): string | undefined => {
  if (!existsSync(socket)) return `docker does not run here: there is no ${socket}`
  return findCommand('docker') ? undefined : 'the program docker is not installed'
}

type Fields = Readonly<Record<string, unknown>>

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const text = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
const flag = (value: unknown): number => (value === true ? 1 : 0)

/** Containers as `docker inspect` describes them. */
export function* inspectContainers(query: Query): Iterable<Fields> {
  const ids = runCommand(query, 'docker', ['ps', '--all', '--quiet', '--no-trunc']).split('\n').filter(Boolean)
  for (let at = 0; at < ids.length; at += containersAtOnce) {
    const asked = ids.slice(at, at + containersAtOnce)
    yield* listOf(JSON.parse(runCommand(query, 'docker', ['container', 'inspect', ...asked]))).map(fieldsOf)
  }
}

const ofContainers = (name: string, list: string, rowsOf: (container: Fields) => Iterable<Row>): Table => ({
  name,
  columns: columns(list),
  notCollected: missing,
  *collect(_constraints, query) {
    for (const container of inspectContainers(query)) {
      for (const row of rowsOf(container)) yield { id: text(container['Id']), ...row }
    }
  },
})

export const labelsOf = (container: Fields): Row[] =>
  Object.entries(fieldsOf(fieldsOf(container['Config'])['Labels'])).map(([key, value]) => ({ key, value: text(value) }))

export const mountsOf = (container: Fields): Row[] =>
  listOf(container['Mounts'])
    .map(fieldsOf)
    .map((mount) => ({
      type: text(mount['Type']),
      name: text(mount['Name']),
      source: text(mount['Source']),
      destination: text(mount['Destination']),
      driver: text(mount['Driver']),
      mode: text(mount['Mode']),
      rw: flag(mount['RW']),
      propagation: text(mount['Propagation']),
    }))

export const networksOf = (container: Fields): Row[] =>
  Object.entries(fieldsOf(fieldsOf(container['NetworkSettings'])['Networks'])).map(([name, value]) => {
    const network = fieldsOf(value)
    return {
      name,
      network_id: text(network['NetworkID']),
      endpoint_id: text(network['EndpointID']),
      gateway: text(network['Gateway']),
      ip_address: text(network['IPAddress']),
      ip_prefix_len: text(network['IPPrefixLen']),
      ipv6_gateway: text(network['IPv6Gateway']),
      ipv6_address: text(network['GlobalIPv6Address']),
      ipv6_prefix_len: text(network['GlobalIPv6PrefixLen']),
      mac_address: text(network['MacAddress']),
    }
  })

/** A port that is not published has no address on the host. */
export const portsOf = (container: Fields): Row[] =>
  Object.entries(fieldsOf(fieldsOf(container['NetworkSettings'])['Ports'])).flatMap(([name, bindings]) => {
    const [port, type = ''] = name.split('/')
    const published = listOf(bindings).map(fieldsOf)
    return (published.length === 0 ? [{} as Fields] : published).map((binding) => ({
      type,
      port,
      host_ip: text(binding['HostIp']),
      host_port: text(binding['HostPort']),
    }))
  })

export const dockerContainerLabels = ofContainers('docker_container_labels', 'id key value', labelsOf)
export const dockerContainerMounts = ofContainers(
  'docker_container_mounts',
  'id type name source destination driver mode rw:integer propagation',
  mountsOf,
)
export const dockerContainerNetworks = ofContainers(
  'docker_container_networks',
  `id name network_id endpoint_id gateway ip_address ip_prefix_len:integer ipv6_gateway ipv6_address
    ipv6_prefix_len:integer mac_address`,
  networksOf,
)
export const dockerContainerPorts = ofContainers(
  'docker_container_ports',
  'id type port:integer host_ip host_port:integer',
  portsOf,
)

/** Environments hold passwords, as those of processes do. */
export const dockerContainerEnvs: Table = {
  name: 'docker_container_envs',
  columns: columns('id key value'),
  notCollected: () => 'environments of containers hold secrets and are not read',
  collect: () => [],
}
