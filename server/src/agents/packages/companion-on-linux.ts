import { type LinuxPackage, scriptFolder } from './linux-package.ts'
import type { Enrollment } from './osquery-files.ts'
import { stockOsqueryd } from './osquery-on-linux.ts'
import { type ServiceParts, serviceOnLinux } from './service-on-linux.ts'

const name = 'muster-companion'

/** The lowest major version of Node that the companion runs on: server/test/strangers/companion-on-node.test.ts. */
export const companionNode = 22

/** The companion as a service beside an osquery that is installed from elsewhere, before or after. */
export const companionOnLinux = (version: string, enrollment: Enrollment, parts: ServiceParts): LinuxPackage =>
  serviceOnLinux(
    {
      name,
      summary: 'companion of osquery for Muster',
      description: 'Muster companion of osquery',
      program: 'companion.mjs',
      lowestNode: companionNode,
      configName: 'companion.json',
      startsAfter: 'osqueryd.service',
      needsOneOf: ['/usr/bin/osqueryi', '/opt/osquery/bin/osqueryi', '/usr/local/bin/osqueryi'],
      otherwise: `osquery is not installed: once it is, run /${scriptFolder(name)}/activate`,
      rival: 'muster-agent',
      // Earlier packages of that name, which no version tells from later ones, had the unit.
      relations: { Replaces: 'muster-osquery' },
      waitsFor: [stockOsqueryd],
      leaves: [],
    },
    version,
    enrollment,
    parts,
  )
