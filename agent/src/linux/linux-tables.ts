import { tablesElsewhere } from '../elsewhere/tables-elsewhere.ts'
import type { Table } from '../tables/table.ts'
import { apparmorProfiles, etcHosts, secureboot, selinuxSettings } from './access-control.ts'
import { groups, userGroups, users } from './accounts.ts'
import { osqueryFlags, osqueryInfo, osqueryRegistry, osquerySchedule } from './agent-itself.ts'
import { augeas } from './augeas.ts'
import { blockDevices, diskEncryption } from './block-devices.ts'
import { time, uptime } from './clock.ts'
import { file, hash } from './files.ts'
import { iptables } from './iptables.ts'
import { kernelInfo, kernelModules, systemControls } from './kernel.ts'
import { loggedInUsers } from './logged-in-users.ts'
import { platformInfo, systemInfo } from './machine.ts'
import { mounts } from './mounts.ts'
import { arpCache, dnsResolvers, interfaceAddresses, interfaceDetails, routes } from './network.ts'
import { osVersion } from './os-version.ts'
import { aptSources, debPackages, rpmPackages } from './packages.ts'
import { processes } from './processes.ts'
import { shadow } from './shadow.ts'
import { listeningPorts, processOpenSockets } from './sockets.ts'
import { authorizedKeys, sshConfigs } from './ssh-files.ts'
import { userSshKeys } from './ssh-keys.ts'
import { sudoers } from './sudoers.ts'
import { systemdUnits } from './systemd-units.ts'

const collected: Table[] = [
  apparmorProfiles,
  aptSources,
  arpCache,
  augeas,
  authorizedKeys,
  blockDevices,
  debPackages,
  diskEncryption,
  dnsResolvers,
  etcHosts,
  file,
  groups,
  hash,
  interfaceAddresses,
  interfaceDetails,
  iptables,
  kernelInfo,
  kernelModules,
  listeningPorts,
  loggedInUsers,
  mounts,
  osqueryFlags,
  osqueryInfo,
  osquerySchedule,
  osVersion,
  platformInfo,
  processes,
  processOpenSockets,
  routes,
  rpmPackages,
  secureboot,
  selinuxSettings,
  shadow,
  sshConfigs,
  sudoers,
  systemControls,
  systemdUnits,
  systemInfo,
  time,
  uptime,
  userGroups,
  users,
  userSshKeys,
]

/** Every table of this agent on Linux: the real ones, and those of other platforms so that their SQL compiles. */
export const linuxTables: Table[] = [
  ...collected,
  ...tablesElsewhere,
  osqueryRegistry(
    collected.map((table) => table.name),
    tablesElsewhere.map((table) => table.name),
  ),
]
