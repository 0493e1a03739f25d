import { Button, Menu, Modal } from '@mantine/core'
import type { SignInUpstreamView } from '@muster/contract/console-upstreams.ts'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { api } from '../api/api.ts'
import { ConfirmDialog } from '../components/confirm-dialog.tsx'
import { FormFault } from '../components/form-fault.tsx'
import { Icon } from '../components/icon.tsx'
import { PasswordField } from '../components/password-field.tsx'
import { useAction } from '../components/use-action.ts'
import { VerbItems } from '../components/verbs.tsx'
import { visibleText } from '../components/visible-text.ts'

type Parts = { readonly upstream: SignInUpstreamView }

/** At the top of the page of an upstream, for whoever may change it. */
export function UpstreamActions({ upstream }: Parts) {
  const [opened, setOpened] = useState<'secret' | 'delete'>()
  const close = () => setOpened(undefined)
  return (
    <>
      <Menu position="bottom-end" withinPortal={false}>
        <Menu.Target>
          <Button aria-label="More for this identity provider" className="icon-button">
            <Icon name="dots" />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <VerbItems
            verbs={[
              { text: 'Replace the client secret…', run: () => setOpened('secret') },
              { text: 'Delete…', run: () => setOpened('delete'), isDangerous: true },
            ]}
          />
        </Menu.Dropdown>
      </Menu>
      {opened === 'secret' && <ReplaceSecret upstream={upstream} onClose={close} />}
      <DeleteUpstream upstream={upstream} isOpen={opened === 'delete'} onClose={close} />
    </>
  )
}

function ReplaceSecret({ upstream, onClose }: Parts & { readonly onClose: () => void }) {
  const [secret, setSecret] = useState('')
  const replace = useAction({
    act: () =>
      api('replaceSignInUpstreamSecret', { params: { id: upstream.id }, body: { client_secret: secret.trim() } }),
    refresh: ['audit'],
    hasForm: true,
    said: () => 'Client secret replaced',
    onDone: onClose,
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    replace.mutate()
  }
  return (
    <Modal opened onClose={onClose} title="Replace the client secret" withCloseButton={false}>
      <form className="dialog-form" onSubmit={submit} noValidate>
        <p>
          Make a new secret at {visibleText(upstream.name)} first. Muster proves itself with it from the next sign-in
          on.
        </p>
        <PasswordField
          label="Client secret"
          autoComplete="off"
          data-autofocus
          value={secret}
          maxLength={500}
          error={replace.faultOf('client_secret')}
          onChange={(event) => setSecret(event.currentTarget.value)}
        />
        <FormFault error={replace.faultBeside} />
        <div className="dialog-ends">
          <Button variant="subtle" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" variant="filled" loading={replace.isPending}>
            Replace
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function DeleteUpstream({
  upstream,
  isOpen,
  onClose,
}: Parts & { readonly isOpen: boolean; readonly onClose: () => void }) {
  const navigate = useNavigate()
  const name = visibleText(upstream.name)
  const remove = useAction({
    act: () => api('deleteSignInUpstream', { params: { id: upstream.id } }),
    refresh: ['listSignInUpstreams', 'audit'],
    hasForm: true,
    said: () => `“${name}” is deleted`,
    onDone: () => void navigate({ to: '/connections/upstreams' }),
  })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      question={`Delete “${name}”?`}
      consequences={[
        'Nobody signs in there for Muster any more.',
        'Its client secret is erased. This cannot be undone.',
      ]}
      stays="The people and the logs stay. An identity provider that a connection uses is not deleted."
      verb="Delete the identity provider"
      onConfirm={() => remove.mutate()}
      isBusy={remove.isPending}
      fault={remove.faultBeside}
    />
  )
}
