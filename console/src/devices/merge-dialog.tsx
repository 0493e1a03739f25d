import { Button, Checkbox, Modal } from '@mantine/core'
import type { MergePreview } from '@muster/contract/console-merges.ts'
import type { Device } from '@muster/contract/devices.ts'
import { permissions } from '@muster/contract/permissions.ts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { ApiError } from '../api/api-error.ts'
import { query } from '../api/query.ts'
import { useSession } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'
import { ChooseOther } from './choose-other.tsx'
import { mergeConsequences, nameIn } from './merge-words.ts'

type Parts = {
  readonly device: Pick<Device, 'id' | 'name'>
  /** The other record, where it is known already. */
  readonly otherId?: string
  readonly onClose: () => void
}

/** Makes one device of two records: which is the other one, what follows, and then it is done for good. */
export function MergeDialog({ device, otherId, onClose }: Parts) {
  const [pair, setPair] = useState<MergePair | undefined>(
    otherId === undefined ? undefined : { keptId: device.id, otherId },
  )
  if (!pair) {
    const choose = (chosen: string) => setPair({ keptId: device.id, otherId: chosen })
    return <ChooseOther device={device} onChoose={choose} onClose={onClose} />
  }
  return (
    <PreviewedMerge
      key={pair.keptId}
      pair={pair}
      onSwap={() => setPair({ keptId: pair.otherId, otherId: pair.keptId })}
      onClose={onClose}
    />
  )
}

type MergePair = { readonly keptId: string; readonly otherId: string }

type PreviewedParts = { readonly pair: MergePair; readonly onSwap: () => void; readonly onClose: () => void }

function PreviewedMerge(parts: PreviewedParts) {
  const { keptId, otherId } = parts.pair
  const asked = { params: { deviceId: keptId }, query: { other_id: otherId } }
  const preview = useQuery(query('previewDeviceMerge', asked, { retry: false }))
  if (preview.data) return <ConfirmMerge {...parts} preview={preview.data} />
  if (!preview.error) return null
  const [fault] = preview.error instanceof ApiError ? preview.error.faults : []
  return (
    <Modal opened onClose={parts.onClose} title="These devices cannot be merged" withCloseButton={false}>
      <FormFault error={fault ? `The chosen device ${fault.message}.` : preview.error.message} />
      <div className="dialog-ends">
        <Button onClick={parts.onClose} data-autofocus>
          Close
        </Button>
      </div>
    </Modal>
  )
}

function ConfirmMerge({ pair, preview, onSwap, onClose }: PreviewedParts & { readonly preview: MergePreview }) {
  const navigate = useNavigate()
  const [isOneMachine, setOneMachine] = useState(false)
  const { keptId, otherId } = pair
  const [kept, other] = [nameIn(preview, 'kept'), nameIn(preview, 'other')]
  const session = useSession()
  const lacking = preview.needs.filter((power) => !session?.permissions.includes(power))
  const merge = useAction({
    act: () =>
      api('mergeDevices', {
        params: { deviceId: keptId },
        body: { other_id: otherId, ...(isOneMachine && { is_one_machine: true }) },
      }),
    refresh: ['devices', 'people', 'groups', 'audit'],
    said: () => `${other} merged into ${kept}`,
    onDone: () => {
      onClose()
      void navigate({ to: '/devices/$deviceId', params: { deviceId: keptId } })
    },
    hasForm: true,
  })
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      question={`Merge ${other} into ${kept}?`}
      consequences={mergeConsequences(preview)}
      stays={`${visibleText(preview.kept.name)} keeps its ID, its history, and its own owner, note, groups and exemptions.`}
      verb="Merge the devices"
      onConfirm={() => merge.mutate()}
      isBusy={merge.isPending}
      isReady={lacking.length === 0}
      fault={merge.faultBeside}
    >
      <Button variant="subtle" onClick={onSwap}>
        Keep {other} instead
      </Button>
      {lacking.length > 0 && (
        <p role="note">
          To move what is listed, you also need {lacking.map((power) => permissions[power].title).join(' and ')}. An
          administrator with full access can change that.
        </p>
      )}
      {preview.needs_confirmation && (
        <Checkbox
          required
          checked={isOneMachine}
          onChange={(event) => setOneMachine(event.currentTarget.checked)}
          label="I know that they are one machine"
        />
      )}
    </ConfirmDialog>
  )
}
