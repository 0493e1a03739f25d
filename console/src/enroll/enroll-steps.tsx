import './enroll.css'
import { Button } from '@mantine/core'
import { type ComputerType, systemNames } from '@muster/contract/computer-types.ts'
import type { Package } from '@muster/contract/packages.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useMay } from '../api/session.ts'
import { useCompanionPlatforms, useNoCompanion } from '../components/companion-platforms.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { useAction } from '../components/use-action.ts'
import { AwaitDevice } from './await-device.tsx'
import type { EnrollChoice } from './enroll-choice.ts'
import {
  agentWords,
  companionCommands,
  downloadPackage,
  installCommand,
  needsOf,
  troubleCommand,
} from './install-commands.ts'
import { packagesQuery } from './packages-query.ts'

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
  const fitting = packages.filter(({ platform }) => platform === packagePlatforms[type])
  const [chosenId, setChosenId] = useState<string | undefined>()
  const chosen = fitting.find(({ id }) => id === chosenId) ?? fitting.find((one) => one.agent === agent) ?? fitting[0]
  const unmade = useNoCompanion([type])
  return (
    <>
      <fieldset className="segments" aria-label="Platform">
        {tabs.map((name) => (
          <label key={name} className={name === type ? 'on' : ''}>
            <input type="radio" name="platform" checked={name === type} onChange={() => setType(name)} />
            {systemNames[name]}
          </label>
        ))}
      </fieldset>
      {unmade !== undefined && (
        <p className="note will enroll-note">
          <span>
            <b className="medium">{unmade}.</b> Checks run and are reported. A sign-in connection that enforces refuses
            people who have nothing else.
          </span>
        </p>
      )}
      {chosen && (
        <ol className="steps">
          <Step
            number={1}
            title="Download the package"
            end={fitting.length > 1 && <Formats packages={fitting} chosen={chosen} onChoose={setChosenId} />}
          >
            <DownloadRow chosen={chosen} />
          </Step>
          <Step number={2} title="Install it on the machine">
            <CommandRow command={installCommand(chosen)} label="the command" />
            <Needs chosen={chosen} packages={fitting} />
          </Step>
          <LastStep chosen={chosen} />
        </ol>
      )}
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

type StepParts = {
  readonly number: number
  readonly title: string
  readonly end?: ReactNode
  readonly children: ReactNode
}

const Step = ({ number, title, end, children }: StepParts) => (
  <li>
    <span className="step-number" aria-hidden="true">
      {number}
    </span>
    <div className="grow">
      <div className="row between">
        <h2>{title}</h2>
        {end}
      </div>
      {children}
    </div>
  </li>
)

/** What the machine has to have, and what else to install on it. */
function Needs({ chosen, packages }: { chosen: Package; packages: readonly Package[] }) {
  const platforms = useCompanionPlatforms()
  const system = platforms?.find(({ device_type: type }) => packagePlatforms[type] === chosen.platform)
  const hasCompanion = packages.some(({ agent }) => agent === 'muster_companion')
  return (
    <p className="small faint">
      {needsOf(chosen)}
      {chosen.agent !== 'osquery' && system && ` Needs ${system.needs}.`}
      {chosen.agent === 'osquery' && hasCompanion && ` ${companionToo}`}
    </p>
  )
}

const companionToo = 'Under Format is the companion, which proves at sign-ins which device this is: install it, too.'

/** A companion enrolls no device of its own: its osquery does. */
const LastStep = ({ chosen }: { chosen: Package }) =>
  chosen.agent === 'muster_companion' ? (
    <Step number={3} title="See that it runs">
      {companionCommands.map((command) => (
        <CommandRow key={command} command={command} label={command} />
      ))}
      <p className="small faint">It is linked to its device once osquery has polled, within about a minute.</p>
    </Step>
  ) : (
    <Step number={3} title="Wait for the first check-in">
      <AwaitDevice trouble={troubleCommand(chosen)} />
    </Step>
  )

const CommandRow = ({ command, label }: { command: string; label: string }) => (
  <div className="step-row command">
    <code className="grow ellipsis" title={command}>
      {command}
    </code>
    <CopyButton text={command} label={label} />
  </div>
)

type FormatParts = {
  readonly packages: readonly Package[]
  readonly chosen: Package
  readonly onChoose: (id: string) => void
}

const Formats = ({ packages, chosen, onChoose }: FormatParts) => (
  <label className="row secondary">
    Format
    <select className="select" value={chosen.id} onChange={(event) => onChoose(event.currentTarget.value)}>
      {packages.map((one) => (
        <option key={one.id} value={one.id}>{`${agentWords[one.agent]}, .${one.format}`}</option>
      ))}
    </select>
  </label>
)

function DownloadRow({ chosen }: { chosen: Package }) {
  const may = useMay('manage_settings')
  const fetchFile = useAction({
    act: () => downloadPackage(chosen),
    said: () => `${chosen.file_name} downloaded; it contains an enrollment secret`,
  })
  return (
    <>
      <div className="step-row">
        <code className="grow ellipsis" title={chosen.file_name}>
          {chosen.file_name}
        </code>
        {may && (
          <Button
            variant="filled"
            leftSection={<Icon name="download" />}
            loading={fetchFile.isPending}
            onClick={() => fetchFile.mutate()}
          >
            Download
          </Button>
        )}
      </div>
      {!may && <MissingPermission power="manage_settings" />}
      {chosen.problem !== null && <p className="note will">{chosen.problem}</p>}
      <p className="small faint">
        Anyone with the file can enroll a machine. Its secret is valid until you revoke it under{' '}
        <Link className="underlined" to="/settings/enrollment">
          Settings, Enrollment
        </Link>
        .
      </p>
    </>
  )
}
