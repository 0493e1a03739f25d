import { Button } from '@mantine/core'
import type { Package } from '@muster/contract/packages.ts'
import { Link } from '@tanstack/react-router'
import { useMay } from '../api/session.ts'
import { Icon } from '../components/icon.tsx'
import { MissingPermission } from '../components/missing-permission.tsx'
import { useAction } from '../components/use-action.ts'
import { agentWords, downloadPackage, processorOf } from './install-commands.ts'

/** A package of those for a platform. */
export type ChoiceParts = {
  readonly packages: readonly Package[]
  readonly chosen: Package
  readonly onChoose: (id: string) => void
}

export const Formats = ({ packages, chosen, onChoose }: ChoiceParts) => (
  <label className="row secondary">
    Format
    <select className="select" value={chosen.id} onChange={(event) => onChoose(event.currentTarget.value)}>
      {packages.map((one) => (
        <option key={one.id} value={one.id}>
          {[agentWords[one.agent], `.${one.format}`, ...processorOf(one)].join(', ')}
        </option>
      ))}
    </select>
  </label>
)

export function DownloadRow({ chosen }: { chosen: Package }) {
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
