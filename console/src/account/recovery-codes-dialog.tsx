import { Button, Modal } from '@mantine/core'
import { CopyButton } from '../components/copy-button.tsx'

/** Codes that are shown this once; the dialog does not close by an accident. */
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
      <ul className="codes" aria-label="Recovery codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <div className="dialog-ends">
        <span className="row grow">
          <CopyButton text={codes.join('\n')} label="all codes" />
          <a
            className="u"
            download="muster-recovery-codes.txt"
            href={`data:text/plain;charset=utf-8,${encodeURIComponent(`${codes.join('\r\n')}\r\n`)}`}
          >
            Save as a file
          </a>
        </span>
        <Button variant="filled" onClick={onClose} data-autofocus>
          I have kept them
        </Button>
      </div>
    </div>
  </Modal>
)
