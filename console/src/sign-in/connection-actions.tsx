import { Button, Menu, Modal } from '@mantine/core'
import type { SignInConnectionView } from '@muster/contract/console-sign-in.ts'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/api.ts'
import { forget } from '../api/query.ts'
import { useMay } from '../api/session.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { Icon } from '../components/icon.tsx'
import { SecretOnce } from '../components/secret-once.tsx'
import { useAction } from '../components/use-action.ts'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly connection: SignInConnectionView }

/** At the top of each page of a connection, for whoever may change it. */
export function ConnectionActions({ connection }: Parts) {
  const may = useMay('manage_sign_in')
  const [opened, setOpened] = useState<'roll' | 'delete'>()
  const close = () => setOpened(undefined)
  if (!may) return null
  return (
    <>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button aria-label="More for this connection" className="icon-button">
            <Icon name="dots" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <VerbItems
            verbs={[
              !connection.is_public &&
                connection.kind !== 'entra' && { text: 'Replace the client secret…', run: () => setOpened('roll') },
              { text: 'Delete…', run: () => setOpened('delete'), isDangerous: true },
            ]}
          />
        </Menu.Dropdown>
      </Menu>
      <RollSecret connection={connection} isOpen={opened === 'roll'} onClose={close} />
      <DeleteConnection connection={connection} isOpen={opened === 'delete'} onClose={close} />
    </>
  )
}

type DialogParts = Parts & { readonly isOpen: boolean; readonly onClose: () => void }

function RollSecret({ connection, isOpen, onClose }: DialogParts) {
  const [secret, setSecret] = useState<string>()
  const name = visibleText(connection.name)
  const roll = useAction({
    act: () => api('rollSignInConnectionSecret', { params: { id: connection.id } }),
    refresh: ['connections', 'audit'],
    hasForm: true,
    onDone: ({ client_secret: made }) => {
      onClose()
      if (made !== null) setSecret(made)
    },
  })
  return (
    <>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={onClose}
        question={`Replace the client secret of “${name}”?`}
        consequences={[
          'The present secret is refused at once.',
          `No one signs in to ${name} through Muster until it has the new one.`,
        ]}
        stays="The client ID, the keys and the redirect addresses stay."
        verb="Replace the client secret"
        onConfirm={() => roll.mutate()}
        isBusy={roll.isPending}
        fault={roll.faultBeside}
      />
      <Modal
        opened={secret !== undefined}
        onClose={() => setSecret(undefined)}
        title="New client secret"
        withCloseButton={false}
        closeOnClickOutside={false}
      >
        <div className="dialog-form">
          <SecretOnce
            label={`Client secret of ${name}`}
            secret={secret ?? ''}
            after="Copy it now: it is not shown again. Enter it at the other side."
          />
          <div className="dialog-ends">
            <Button variant="filled" onClick={() => setSecret(undefined)}>
              I’ve copied it
            </Button>
          </div>
        </div>
      </Modal>
    </>
  )
}

function DeleteConnection({ connection, isOpen, onClose }: DialogParts) {
  const navigate = useNavigate()
  const name = visibleText(connection.name)
  const remove = useAction({
    act: () => api('deleteSignInConnection', { params: { id: connection.id } }),
    hasForm: true,
    said: () => `“${name}” is deleted`,
    onDone: () => {
      void navigate({ to: '/connections' })
      forget('connections')
    },
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      question={`Delete “${name}”?`}
      consequences={[
        `Every request of ${name} is refused from now on.`,
        'People who are signing in through it are stopped.',
        'This cannot be undone; a new connection has another client ID and secret.',
      ]}
      stays="The sign-in log and the audit log stay."
      typed={connection.name}
      verb="Delete the connection"
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside}
    />
  )
}
