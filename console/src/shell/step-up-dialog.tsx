import { Modal } from '@mantine/core'
import { lazy, Suspense } from 'react'
import { endProof, useIsProofWanted } from '../api/step-up.ts'

const ProofForm = lazy(async () => ({ default: (await import('./proof-form.tsx')).ProofForm }))

/** Dialogs of pages are at Mantine's 200, and may be drawn later than this one. */
const aboveDialogs = 300

/** Asks who someone is before secrets and access are touched; what waited for it continues by itself. */
export function StepUpDialog() {
  const isWanted = useIsProofWanted()
  return (
    // Without Mantine's header: a dialog below has one already, and two are two banners to screen readers.
    <Modal.Root
      opened={isWanted}
      onClose={() => endProof(false)}
      centered
      lockScroll={false}
      radius="xl"
      zIndex={aboveDialogs}
    >
      <Modal.Overlay />
      <Modal.Content>
        <Modal.Body className="headless">
          <Modal.Title>Confirm it’s you</Modal.Title>
          <Suspense>{isWanted && <ProofForm />}</Suspense>
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  )
}
