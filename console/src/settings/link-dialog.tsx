import { Button, Modal } from '@mantine/core'
import type { AdministratorLink } from '@muster/contract/console.ts'
import { SecretOnce } from '../components/secret-once.tsx'
import { deadlineOf } from '../components/times.ts'

type Parts = { readonly link: AdministratorLink | undefined; readonly onClose: () => void }

/** A link that is shown this once, and works once. */
export const LinkDialog = ({ link, onClose }: Parts) => (
  <Modal opened={link !== undefined} onClose={onClose} title="Share this link" withCloseButton={false} size="lg">
    {link && (
      <div className="confirm">
        <SecretOnce
          label="One-time link"
          secret={link.url}
          after={`Anyone who opens it can set the password, so share it with them only. It works once, until ${deadlineOf(link.expires_at, Date.now())} UTC, and is not shown again.`}
        />
        <div className="dialog-ends">
          <Button variant="filled" onClick={onClose} data-autofocus>
            Done
          </Button>
        </div>
      </div>
    )}
  </Modal>
)
