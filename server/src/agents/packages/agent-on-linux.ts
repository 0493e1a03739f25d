import type { LinuxPackage } from './linux-package.ts'
import type { Enrollment } from './osquery-files.ts'
import { type ServiceParts, serviceOnLinux } from './service-on-linux.ts'

/** The lowest major version of Node that it runs on: it strips the types of the files that it reads. */
export const agentNode = 24

/** The bundled agent as a service; its companion is in its process. */
export const agentOnLinux = (version: string, enrollment: Enrollment, parts: ServiceParts): LinuxPackage =>
  serviceOnLinux(
    {
      name: 'muster-agent',
      summary: 'agent of Muster, a stand-in for osquery',
      description: 'Muster agent',
      program: 'agent/src/run-installed-agent.ts',
      lowestNode: agentNode,
      configName: 'agent.json',
      startsAfter: '',
      needsOneOf: [],
      otherwise: '',
      rival: 'muster-companion',
      relations: {},
      waitsFor: [],
      leaves: ['/var/lib/muster-companion/link'],
    },
    version,
    enrollment,
    parts,
  )
