import { Button, Modal } from '@mantine/core'
import type { DeviceGroupUses } from '@muster/contract/console-groups.ts'
import type { DeviceGroup } from '@muster/contract/groups.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { api } from '../api/api.ts'
import { query } from '../api/query.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { besideAfter } from '../components/form-fault.tsx'
import { Failure, SkeletonRows } from '../components/notices.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly group: DeviceGroup; readonly onClose: () => void }

/** Asks, or says which checks name the group, since those would mean other devices without it. */
export function DeleteGroupDialog({ group, onClose }: Parts) {
  const uses = useQuery(query('getDeviceGroupUses', { params: { groupId: group.id } }, { staleTime: 0 }))
  const navigate = useNavigate()
  const name = visibleText(group.name)
  const remove = useAction({
    act: () => api('deleteDeviceGroup', { params: { groupId: group.id } }),
    refresh: ['listDeviceGroups', 'devices'],
    said: () => `${name} deleted`,
    onDone: () => void navigate({ to: '/groups/devices' }),
    hasForm: true,
  })
  const fault = remove.faultOf('id')
  if (uses.data && uses.data.checks.length === 0) {
    const count = group.members_count
    const leave = count === 1 ? '1 device leaves' : `${count.toLocaleString('en')} devices leave`
    return (
      <ConfirmDialog
        isOpen
        onClose={onClose}
        question={`Delete the group ${name}?`}
        consequences={[count === 0 ? 'It has no devices.' : `${leave} the group.`, 'It cannot be restored.']}
        stays="No check uses it, so nothing changes for any device."
        verb="Delete the group"
        onConfirm={() => remove.mutate()}
        isBusy={remove.isPending}
        fault={besideAfter(fault && `${fault}.`, remove.faultBeside)}
      />
    )
  }
  return (
    <Modal opened onClose={onClose} title={`${name} cannot be deleted yet`} withCloseButton={false}>
      <div className="confirm">
        {uses.isPending && <SkeletonRows rows={3} />}
        {uses.isError && (
          <Failure what="The checks could not be loaded." error={uses.error} onRetry={() => void uses.refetch()} />
        )}
        {uses.data && <Named checks={uses.data.checks} />}
        <div className="dialog-ends">
          <Button onClick={onClose} data-autofocus>
            Close
          </Button>
        </div>
      </div>
    </Modal>
  )
}

const Named = ({ checks }: DeviceGroupUses) => (
  <>
    <p>
      {checks.length === 1 ? 'This check uses it.' : `These ${checks.length} checks use it.`} Remove it from their
      configuration first; without the group they would apply to other devices.
    </p>
    <ul className="lines">
      {checks.map((check) => (
        <li key={check.id} className="line">
          <span className="grow">
            <Link className="underlined" to="/checks/$checkId/configuration" params={{ checkId: check.id }}>
              {visibleText(check.name)}
            </Link>
            <span className="small secondary block">{meaningOf(check)}</span>
          </span>
        </li>
      ))}
    </ul>
  </>
)

/** "Is for its devices, never blocks them" */
function meaningOf(check: DeviceGroupUses['checks'][number]): string {
  const parts = [
    check.is_targeted && 'is for its devices',
    check.is_excluded && 'leaves its devices out',
    check.is_blocked && 'blocks its devices',
    check.is_spared && 'never blocks its devices',
  ].filter((part) => part !== false)
  const sentence = parts.join(', ')
  return `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`
}
