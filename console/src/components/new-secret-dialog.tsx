import { Button, Modal } from '@mantine/core'
import type { ReactNode } from 'react'
import { SecretOnce } from './secret-once.tsx'

type Parts = {
  readonly title: string
  readonly label: string
  /** Undefined: the dialog is closed. */
  readonly secret: string | undefined
  readonly after: string
  readonly onClose: () => void
  readonly children?: ReactNode
}

/** A secret that is shown this once; a click beside the dialog does not lose it. */
export const NewSecretDialog = ({ title, label, secret, after, onClose, children }: Parts) => (
  <Modal
    opened={secret !== undefined}
    onClose={onClose}
    title={title}
    withCloseButton={false}
    closeOnClickOutside={false}
    size="lg"
  >
    {secret !== undefined && (
      <div className="confirm">
        <SecretOnce label={label} secret={secret} after={after} />
        {children}
        <div className="dialog-ends">
          <Button variant="filled" onClick={onClose} data-autofocus>
            I’ve saved it
          </Button>
        </div>
      </div>
    )}
  </Modal>
)
