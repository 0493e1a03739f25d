import './enroll.css'
import { Button } from '@mantine/core'
import type { Package } from '@muster/contract/packages.ts'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useMay } from '../api/session.ts'
import { CopyButton } from '../components/copy-button.tsx'
import { Icon } from '../components/icon.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { Emptiness, Failure, SkeletonRows } from '../components/notices.tsx'
import { useAction } from '../components/use-action.ts'
import { AwaitDevice } from './await-device.tsx'
import {
  agentWords,
  companionCommands,
  downloadPackage,
  installCommand,
  needsOf,
  platformWords,
  troubleCommand,
} from './install-commands.ts'
import { packagesQuery } from './packages-query.ts'

const platforms = Object.keys(platformWords) as Package['platform'][]

/** From the file to the first check-in. */
export function EnrollSteps({ title }: { title: string }) {
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
      {packages.data && packages.data.data.length > 0 && <Steps packages={packages.data.data} />}
    </>
  )
}

function Steps({ packages }: { packages: readonly Package[] }) {
  const [platform, setPlatform] = useState<Package['platform']>('linux')
  const fitting = packages.filter((one) => one.platform === platform)
  const [chosenId, setChosenId] = useState<string | undefined>()
  const chosen = fitting.find(({ id }) => id === chosenId) ?? fitting[0]
  return (
    <>
      <fieldset className="segments" aria-label="Platform">
        {platforms.map((name) => (
          <label key={name} className={name === platform ? 'on' : ''}>
            <input type="radio" name="platform" checked={name === platform} onChange={() => setPlatform(name)} />
            {platformWords[name]}
          </label>
        ))}
      </fieldset>
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
            <p className="small faint">{needsOf(chosen)}</p>
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
