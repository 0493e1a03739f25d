import { Button, Modal, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { type Beside, FormFault } from './form-fault.tsx'
import { Mark } from './state-shape.tsx'
import './confirm-dialog.css'

type Parts = {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** "Unregister 3 devices?" */
  readonly question: string
  /** One line for each thing that follows, with names and numbers. */
  readonly consequences: readonly ReactNode[]
  /** What is not touched. */
  readonly stays?: ReactNode
  /** "Unregister 3 devices": the words of the question. */
  readonly verb: string
  readonly isDangerous?: boolean
  /** What goes back, where that is not "Cancel". */
  readonly cancel?: string
  /** To be typed before the button works: the number of what is hit, where that is many. */
  readonly typed?: string
  readonly onConfirm: () => void
  readonly isBusy?: boolean
  /** False while something is missing that `children` name. */
  readonly isReady?: boolean
  readonly fault?: Beside
  readonly children?: ReactNode
}

/** Asks before something that hits people or cannot be undone, and says what follows. The focus begins on Cancel. */
export function ConfirmDialog(parts: Parts) {
  const { isOpen, onClose, question, verb, typed, isDangerous = true } = parts
  return (
    <Modal opened={isOpen} onClose={onClose} title={question} withCloseButton={false}>
      <form
        className="confirm"
        onSubmit={(event) => {
          event.preventDefault()
          // React hands it on to a form that the dialog is written in.
          event.stopPropagation()
          parts.onConfirm()
        }}
      >
        <ul className="consequences">
          {parts.consequences.map((line, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the lines are written once for the dialog
            <li key={index}>
              <Mark name="cross" />
              <span>{line}</span>
            </li>
          ))}
          {parts.stays !== undefined && (
            <li>
              <Mark name="tick" />
              <span>{parts.stays}</span>
            </li>
          )}
        </ul>
        {parts.children}
        {typed === undefined ? (
          <Ends {...parts} verb={verb} isDangerous={isDangerous} isReady={parts.isReady ?? true} />
        ) : (
          <TypedEnds {...parts} verb={verb} isDangerous={isDangerous} typed={typed} />
        )}
      </form>
    </Modal>
  )
}

function TypedEnds(parts: Parts & { readonly isDangerous: boolean; readonly typed: string }) {
  const [given, setGiven] = useState('')
  return (
    <>
      <TextInput
        label={`Type ${parts.typed} to continue`}
        value={given}
        onChange={(event) => setGiven(event.currentTarget.value)}
        autoComplete="off"
      />
      <Ends {...parts} isReady={given.trim() === parts.typed} />
    </>
  )
}

const Ends = ({
  onClose,
  cancel = 'Cancel',
  verb,
  isBusy,
  isDangerous,
  isReady,
  fault,
}: Parts & { readonly isReady: boolean }) => (
  <>
    <FormFault error={fault} />
    <div className="dialog-ends">
      <Button onClick={onClose} data-autofocus>
        {cancel}
      </Button>
      <Button
        type="submit"
        variant="filled"
        {...(isDangerous && { color: 'danger' })}
        disabled={!isReady}
        loading={isBusy ?? false}
      >
        {verb}
      </Button>
    </div>
  </>
)
