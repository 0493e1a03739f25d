import { Markdown } from '../components/markdown.tsx'

type Parts = {
  readonly rationale: string | null
  readonly fixInstructions: string | null
}

/** What the owner of a device reads about a failure. */
export const OwnerTexts = ({ rationale, fixInstructions }: Parts) => (
  <>
    {rationale !== null && <Markdown text={rationale} />}
    {fixInstructions !== null && (
      <>
        <h3>How to fix it</h3>
        <Markdown text={fixInstructions} />
      </>
    )}
    {rationale === null && fixInstructions === null && <p className="secondary">No text for owners yet.</p>}
  </>
)
