import type { LinuxPackage } from './linux-package.ts'
import type { Enrollment } from './osquery-files.ts'
import { lowestMajor } from './runtimes/pinned-runtimes.ts'
import { type ServiceParts, serviceOnLinux } from './service-on-linux.ts'

/** The bundled agent as a service; its companion is in its process. */
export const agentOnLinux = (version: string, enrollment: Enrollment, parts: ServiceParts): LinuxPackage =>
  serviceOnLinux(
    {
      name: 'muster-agent',
      summary: 'agent of Muster, a stand-in for osquery',
      description: 'Muster agent',
      program: 'agent/src/run-installed-agent.ts',
      lowestNode: lowestMajor,
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
