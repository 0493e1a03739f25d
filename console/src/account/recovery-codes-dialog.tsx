import { Button, Modal } from '@mantine/core'
import { RecoveryCodeList } from './recovery-code-list.tsx'

/** The dialog does not close by an accident. */
export const RecoveryCodesDialog = ({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) => (
  <Modal
    opened={codes.length > 0}
    onClose={onClose}
    title="Save your recovery codes"
    withCloseButton={false}
    closeOnClickOutside={false}
    closeOnEscape={false}
  >
    <div className="confirm">
      <p className="secondary">
        Each code works once in place of your second factor. Store them with your passwords or on paper: they are not
        shown again.
      </p>
      <RecoveryCodeList codes={codes} />
      <div className="dialog-ends">
        <Button variant="filled" onClick={onClose} data-autofocus>
          I’ve saved them
        </Button>
      </div>
    </div>
  </Modal>
)
