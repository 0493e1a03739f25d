import './enroll.css'
import { type ComputerType, systemNames } from '@muster/contract/computer-types.ts'
import type { Package } from '@muster/contract/packages.ts'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { missingFor, useCompanionPlatforms, useNoCompanion } from '../components/companion-platforms.ts'
import { Icon } from '../components/icon.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { AwaitDevice } from './await-device.tsx'
import type { EnrollChoice } from './enroll-choice.ts'
import { byKind, companionCommands, installCommand, needsOf, nodeWords, troubleCommand } from './install-commands.ts'
import { MacCompanion, MacNotes } from './mac-notes.tsx'
import { MissingNodes, NoCompanionNote } from './missing-nodes.tsx'
import { type ChoiceParts, DownloadRow, Formats } from './package-choice.tsx'
import { packagesQuery } from './packages-query.ts'
import { CommandRow, Step } from './step.tsx'

/** Linux first, which has all the kinds of packages. */
const tabs: readonly ComputerType[] = ['Linux', 'Mac', 'Windows']

const packagePlatforms: Readonly<Record<ComputerType, Package['platform']>> = {
  Linux: 'linux',
  Mac: 'darwin',
  Windows: 'windows',
}

/** From the file to the first check-in; `platform` and `agent` are chosen first. */
export function EnrollSteps({ title, ...chosen }: EnrollChoice & { readonly title: string }) {
  const packages = useQuery(packagesQuery)
  return (
    <>
      <h1 tabIndex={-1}>{title}</h1>
      <p className="secondary enroll-lead">
        Install the package on the machine. It carries this server’s address, its certificate and an enrollment secret,
        so there is nothing to type in. Results appear here within a minute.
      </p>
      {packages.isError && (
        <Failure what="Packages could not be loaded." error={packages.error} onRetry={() => void packages.refetch()} />
      )}
      {packages.isPending && <SkeletonRows rows={6} />}
      {packages.data?.data.length === 0 && (
        <Emptiness title="No packages yet." guide="packages">
          A start of the server makes them; <code>muster packages build</code> does it now.
        </Emptiness>
      )}
      {packages.data && packages.data.data.length > 0 && <Steps packages={packages.data.data} {...chosen} />}
    </>
  )
}

function Steps({
  packages,
  platform: wanted = 'Linux',
  agent,
}: EnrollChoice & { readonly packages: readonly Package[] }) {
  const [type, setType] = useState<ComputerType>(wanted)
  const fitting = byKind(packages.filter(({ platform }) => platform === packagePlatforms[type]))
  const [chosenId, setChosenId] = useState<string | undefined>()
  const chosen = fitting.find(({ id }) => id === chosenId) ?? fitting.find((one) => one.agent === agent) ?? fitting[0]
  const platforms = useCompanionPlatforms()
  const lack = useNoCompanion(type)
  return (
    <>
      <Platforms chosen={type} onChoose={setType} />
      {lack && <NoCompanionNote {...lack} />}
      {chosen && <StepList chosen={chosen} packages={fitting} onChoose={setChosenId} />}
      {platforms && !lack && <MissingNodes missing={missingFor(platforms, type)} />}
      <p className="note">
        <Icon name="issue" />
        <span>
          <b className="medium">Enrolling never blocks anyone.</b>{' '}
          <span className="secondary">You choose which checks block, and see who is affected first.</span>
        </span>
      </p>
      <p className="faint small enroll-foot">
        Just looking around? <code>npx muster simulate --devices 50</code> adds simulated machines.
      </p>
    </>
  )
}

const Platforms = ({ chosen, onChoose }: { chosen: ComputerType; onChoose: (type: ComputerType) => void }) => (
  <fieldset className="segments" aria-label="Platform">
    {tabs.map((name) => (
      <label key={name} className={name === chosen ? 'on' : ''}>
        <input type="radio" name="platform" checked={name === chosen} onChange={() => onChoose(name)} />
        {systemNames[name]}
      </label>
    ))}
  </fieldset>
)

const isForMac = ({ agent, platform }: Package): boolean => agent === 'muster_companion' && platform === 'darwin'

const StepList = (parts: ChoiceParts) => (
  <ol className="steps">
    <Step number={1} title="Download the package" end={parts.packages.length > 1 && <Formats {...parts} />}>
      <DownloadRow chosen={parts.chosen} />
    </Step>
    <Step number={2} title="Install it on the machine">
      <CommandRow command={installCommand(parts.chosen)} label="the command" />
      <Needs {...parts} />
      {isForMac(parts.chosen) && <MacNotes {...parts.chosen} />}
    </Step>
    <LastStep chosen={parts.chosen} />
  </ol>
)

/** What the machine has to have, and what else to install on it. */
function Needs({ chosen, packages }: Pick<ChoiceParts, 'chosen' | 'packages'>) {
  const platforms = useCompanionPlatforms()
  const system = platforms?.data.find(({ device_type: type }) => packagePlatforms[type] === chosen.platform)
  const hasCompanion = packages.some(({ agent }) => agent === 'muster_companion')
  return (
    <p className="small faint">
      {needsOf(chosen)}
      {system && nodeWords(chosen, system.nodes)}
      {chosen.agent === 'osquery' && hasCompanion && ` ${companionToo}`}
    </p>
  )
}

const companionToo = 'Under Format is the companion, which proves at sign-ins which device this is: install it, too.'

/** A companion enrolls no device of its own: its osquery does. */
const LastStep = ({ chosen }: { chosen: Package }) =>
  chosen.agent === 'muster_companion' ? (
    <Step number={3} title="See that it runs">
      {companionCommands(chosen).map((command) => (
        <CommandRow key={command} command={command} label={command} />
      ))}
      <p className="small faint">It is linked to its device once osquery has polled, within about a minute.</p>
      {isForMac(chosen) && <MacCompanion />}
    </Step>
  ) : (
    <Step number={3} title="Wait for the first check-in">
      <AwaitDevice trouble={troubleCommand(chosen)} />
    </Step>
  )
