/** Why a form was refused, where it belongs to no single field. */
export const FormFault = ({ error }: { error: string | null | undefined }) => (
  <div role="alert">{error ? <p className="note blocked">{error}</p> : null}</div>
)
