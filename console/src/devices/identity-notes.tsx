import { Button } from '@mantine/core'
import type { Device } from '@muster/contract/devices.ts'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api/api.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { RelativeTime } from '../components/relative-time.tsx'
import { useAction } from '../components/use-action.ts'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly device: Device; readonly ownerName: string }

/** What puts the identity of a device in doubt, and what to do about it. */
export function IdentityNotes(parts: Parts) {
  const { device } = parts
  return (
    <>
      {device.registration_suspended_at !== null && (
        <SuspendedNote {...parts} since={device.registration_suspended_at} />
      )}
      {device.identity_conflict_since !== null && <ConflictNote {...parts} since={device.identity_conflict_since} />}
    </>
  )
}

function SuspendedNote({ device, ownerName, since }: Parts & { readonly since: string }) {
  const mayConfirm = useMay('manage_user_requests')
  const name = visibleText(device.name)
  const confirm = useAction<void, Device>({
    act: () => api('confirmRegistration', { params: { deviceId: device.id } }),
    refresh: ['devices', 'audit'],
    said: () => `The registration of ${name} is confirmed`,
    hasForm: true,
  })
  return (
    <IdentityNote
      label="Registration suspended"
      action={
        mayConfirm && {
          verb: 'Confirm registration',
          question: `Confirm that ${name} belongs to ${ownerName}?`,
          consequences: [
            `${ownerName} can sign in with it again, if nothing blocks it.`,
            'Its state follows its open issues again.',
          ],
          stays: 'If the agent is not the right one, unregister or delete the device instead.',
          run: confirm,
        }
      }
    >
      <b className="medium">The registration is suspended</b> since <RelativeTime time={since} />: an agent enrolled as
      this device while its earlier agent was in use, or with a secret that is not bound to {ownerName}; or its
      companion was replaced. Until you confirm it, nobody can sign in with the device, and its state cannot improve.{' '}
      <SeeAudit device={device} />
    </IdentityNote>
  )
}

function ConflictNote({ device, since }: Parts & { readonly since: string }) {
  const mayResolve = useMay('update_devices')
  const name = visibleText(device.name)
  const resolve = useAction<void, Device>({
    act: () => api('resolveIdentityConflict', { params: { deviceId: device.id } }),
    refresh: ['devices', 'audit'],
    said: () => `The identity conflict of ${name} is resolved`,
    hasForm: true,
  })
  return (
    <IdentityNote
      label="Shared identity"
      action={
        mayResolve && {
          verb: 'Resolve conflict',
          question: `Resolve the identity conflict of ${name}?`,
          consequences: [
            'The next agent that enrolls as this device takes its place immediately.',
            'While its companion is in use, only an agent that it confirms takes its place.',
          ],
          stays: 'If two machines still share the identity, the conflict is found again within minutes.',
          run: resolve,
        }
      }
    >
      <b className="medium">Two agents enroll as this device</b>, since <RelativeTime time={since} />. They have one
      hardware identity, as cloned virtual machines do. One stays in service: the one that the companion of this device
      confirms, or without a companion the one that enrolled last; the other is refused. Give one of them an identity of
      its own, or stop it. If this machine was installed again with its companion, resolve the conflict. The mark goes
      away after a day without a second agent. <SeeAudit device={device} />
    </IdentityNote>
  )
}

const SeeAudit = ({ device }: { readonly device: Device }) => (
  <Link className="underlined" to="/devices/$deviceId/audit" params={{ deviceId: device.id }}>
    See when each enrolled
  </Link>
)

type NoteParts = {
  readonly label: string
  readonly children: ReactNode
  /** False: the administrator may not. */
  readonly action:
    | false
    | {
        readonly verb: string
        readonly question: string
        readonly consequences: readonly string[]
        readonly stays: string
        readonly run: ReturnType<typeof useAction<void, Device>>
      }
}

function IdentityNote({ label, children, action }: NoteParts) {
  const [isAsking, setAsking] = useState(false)
  return (
    <section className="note will identity-note" aria-label={label}>
      <p>{children}</p>
      {action && <Button onClick={() => setAsking(true)}>{action.verb}…</Button>}
      {action && isAsking && (
        <ConfirmDialog
          isOpen
          onClose={() => setAsking(false)}
          question={action.question}
          consequences={action.consequences}
          stays={action.stays}
          verb={action.verb}
          isDangerous={false}
          onConfirm={() => action.run.mutate(undefined, { onSuccess: () => setAsking(false) })}
          isBusy={action.run.isPending}
          fault={action.run.faultBeside}
        />
      )}
    </section>
  )
}
