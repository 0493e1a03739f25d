import { type ComputerType, systemNames } from '@muster/contract/computer-types.ts'
import type { CompanionCounts, CompanionSurvey } from '../../agents/companion-keys/survey-companions.ts'
import { plainText } from '../table.ts'
import { type Finding, ok, warning } from './finding.ts'

const name = 'companions'

/** How far companions are rolled out, whose keys may be on two machines, and which have no port to listen on. */
export function judgeCompanions(survey: CompanionSurvey, madeFor: readonly ComputerType[]): Finding[] {
  return [ok(name, describeCounts(survey.counts, madeFor)), ...judgeSeenTwice(survey), ...judgeWithoutPort(survey)]
}

function judgeSeenTwice({ seenTwiceCount, seenTwice }: CompanionSurvey): Finding[] {
  const findings: Finding[] = []
  for (const device of seenTwice) {
    const text = `the key of "${device.name}" (${device.id}, ${device.organization}) was seen twice, last at ${device.at}: if it is seen again, run \`muster companion --new-key\` on the device`
    findings.push(warning(name, plainText(text)))
  }
  const unlisted = seenTwiceCount - seenTwice.length
  if (unlisted > 0) findings.push(warning(name, `and ${unlisted} more seen twice`))
  return findings
}

function judgeWithoutPort({ withoutPortCount, withoutPort }: CompanionSurvey): Finding[] {
  const findings: Finding[] = []
  for (const device of withoutPort) {
    const text = `no sign-in proves "${device.name}" (${device.id}, ${device.organization}): other programs hold all ports of its companion (${device.takenPorts.join(', ')}). End them or move them: it listens again within a minute by itself`
    findings.push(warning(name, plainText(text)))
  }
  const unlisted = withoutPortCount - withoutPort.length
  if (unlisted > 0) findings.push(warning(name, `and ${unlisted} more without a port`))
  return findings
}

function describeCounts(counts: CompanionCounts, madeFor: readonly ComputerType[]): string {
  const { without_device: others } = counts
  return [
    describeComputers(counts),
    ...(others > 0
      ? [`${others} more ${others === 1 ? 'waits' : 'wait'} on machines that osquery has not enrolled`]
      : []),
    ...describeUnmade(counts, madeFor),
  ].join('; ')
}

/** The computers that lack one because this server makes none for their platform. */
function describeUnmade({ by_type: types }: CompanionCounts, madeFor: readonly ComputerType[]): string[] {
  const lacking = types.filter(({ device_type: type, none }) => none > 0 && !madeFor.includes(type))
  if (lacking.length === 0) return []
  const systems = lacking.map(({ device_type: type, none }) => `${systemNames[type]} (${none})`)
  return [`this server makes no companion for ${systems.join(', ')}`]
}

function describeComputers({ computers, linked, linking, none }: CompanionCounts): string {
  if (computers === 0) return 'no computers yet'
  if (linked === computers) return `linked on all computers (${computers})`
  return `linked on ${linked} of ${computers} computers, ${linking} waiting for their link, ${none} without one`
}
