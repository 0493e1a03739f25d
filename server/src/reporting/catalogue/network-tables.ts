import { columnList, hourly, type InventoryTable } from '../reporting-table.ts'
import { toldNumber } from './told-values.ts'

const category = 'Network'

const interfacesQuery = `SELECT DISTINCT d.interface, d.mac, d.type, d.mtu, coalesce(a.address, '') AS address, coalesce(a.mask, '') AS mask FROM interface_details d LEFT JOIN interface_addresses a ON a.interface = d.interface WHERE d.mac <> '' AND d.mac <> '00:00:00:00:00:00'`

const networkInterfaces: InventoryTable = {
  kind: 'inventory',
  name: 'device_network_interfaces',
  category,
  description: 'Network interfaces with their addresses, a row for each address.',
  aboutPeople: 'The addresses tell which network a device is in.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      interface: 'Name of the interface.',
      mac: 'Its hardware address.',
      type: 'Kind of interface, a number of the system.',
      mtu: 'Largest packet.',
      address: 'IP address; blank when it has none.',
      mask: 'Mask of its network.',
    },
    ['type', 'mtu'],
  ),
  queries: { darwin: interfacesQuery, linux: interfacesQuery, windows: interfacesQuery },
}

const routesQuery = `SELECT DISTINCT destination, netmask, gateway, interface, ${toldNumber('metric')}, type FROM routes WHERE netmask NOT IN (32, 128)`

const routes: InventoryTable = {
  kind: 'inventory',
  name: 'device_routes',
  category,
  description: 'Routes to networks; those to single machines are left out.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      destination: 'Network that the route leads to.',
      netmask: 'Length of its mask in bits; 0 is the default route.',
      gateway: 'Where packets are sent.',
      interface: 'Interface that they leave by.',
      metric: 'Cost of the route; blank where the system does not tell.',
      type: 'Kind of route.',
    },
    ['netmask', 'metric'],
  ),
  queries: { darwin: routesQuery, linux: routesQuery, windows: routesQuery },
}

const resolversQuery = 'SELECT DISTINCT type, address, netmask FROM dns_resolvers'

const dnsResolvers: InventoryTable = {
  kind: 'inventory',
  name: 'device_dns_resolvers',
  category,
  description: 'Name servers and search domains. Names that were looked up are not read.',
  intervalSeconds: hourly,
  columns: columnList({
    type: 'nameserver, search or the like.',
    address: 'Address or domain.',
    netmask: 'Mask, for those that have one.',
  }),
  queries: { darwin: resolversQuery, linux: resolversQuery },
}

// Blocking lists can have 100,000 lines that all lead nowhere.
const hostsQuery =
  "SELECT address, hostnames FROM etc_hosts WHERE address NOT IN ('127.0.0.1', '127.0.1.1', '::1', '0.0.0.0', '::', '255.255.255.255') AND address NOT LIKE 'fe00::%' AND address NOT LIKE 'ff0_::%'"

const hostsFile: InventoryTable = {
  kind: 'inventory',
  name: 'device_hosts_file',
  category,
  description:
    'Names that the hosts file of the device resolves; those of the device itself and blocked names are left out.',
  intervalSeconds: hourly,
  columns: columnList({
    address: 'Address that the names resolve to.',
    hostnames: 'The names, separated by spaces.',
  }),
  queries: { darwin: hostsQuery, linux: hostsQuery, windows: hostsQuery },
}

const program = `coalesce(p.name, '') AS process_name, coalesce(p.path, '') AS process_path`
const portsQuery = `SELECT DISTINCT l.port, l.protocol, l.family, l.address, ${program} FROM listening_ports l LEFT JOIN processes p ON p.pid = l.pid WHERE l.port > 0 AND (l.protocol = 6 OR l.port < 32768)`
// osquery's listening_ports knows IPv6 by another system's number, so that on Windows it lists every connection over IPv6.
const windowsPortsQuery = `SELECT DISTINCT s.local_port AS port, s.protocol, s.family, s.local_address AS address, ${program} FROM process_open_sockets s LEFT JOIN processes p ON p.pid = s.pid WHERE (s.remote_port = 0 OR s.state = 'LISTEN') AND s.local_port > 0 AND (s.protocol = 6 OR s.local_port < 32768)`

const listeningPorts: InventoryTable = {
  kind: 'inventory',
  name: 'device_listening_ports',
  category,
  description: 'Ports that programs listen on; short-lived UDP ports from 32768 on are left out.',
  aboutPeople: 'Paths of programs in home folders contain account names.',
  intervalSeconds: hourly,
  columns: columnList(
    {
      port: 'Number of the port.',
      protocol: '6 is TCP, 17 is UDP.',
      family: '2 is IPv4; IPv6 is 10 on Linux and macOS, 23 on Windows.',
      address: 'Address that is listened on.',
      process_name: 'Name of the program; blank where it is not known, as of the kernel of Linux.',
      process_path: 'File of the program.',
    },
    ['port', 'protocol', 'family'],
  ),
  queries: { darwin: portsQuery, linux: portsQuery, windows: windowsPortsQuery },
}

export const networkTables = [networkInterfaces, routes, dnsResolvers, hostsFile, listeningPorts]
