import { Button, Modal } from '@mantine/core'
import { RecoveryCodeList } from './recovery-code-list.tsx'

/** The dialog does not close by an accident. */
export const RecoveryCodesDialog = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <Modal
    opened={codes.length > 0}
    onClose={onClose}
    title="Keep your recovery codes"
    withCloseButton={false}
    closeOnClickOutside={false}
    closeOnEscape={false}
  >
    <div className="confirm">
      <p className="t2">
        Each lets you in once without your second factor. Keep them where you keep passwords, or on paper: they are not
        shown again.
      </p>
      <RecoveryCodeList codes={codes} />
      <div className="dialog-ends">
        <Button variant="filled" onClick={onClose} data-autofocus>
          I have kept them
        </Button>
      </div>
    </div>
  </Modal>
)
