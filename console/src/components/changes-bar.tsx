import './changes-bar.css'

/** Says that the list would stand otherwise by now; it moves when someone asks for it. */
export const ChangesBar = ({ changes, onShow }: { readonly changes: number; readonly onShow: () => void }) =>
  changes === 0 ? null : (
    <div className="changes-bar">
      {changes === 1 ? '1 change' : `${changes} changes`} ·{' '}
      <button type="button" className="plain underlined" onClick={onShow}>
        Show
      </button>
    </div>
  )
