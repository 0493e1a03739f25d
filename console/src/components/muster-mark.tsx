import './muster-mark.css'

export const MusterMark = () => (
  <span className="mark" aria-hidden="true">
    <svg
      viewBox="0 0 20 20"
      width="14"
      height="14"
      fill="none"
      stroke="currentColor"
      strokeWidth="2.2"
      focusable="false"
    >
      <title>Muster</title>
      <path strokeLinecap="round" d="M4 4v12M8 4v12M12 4v12M16 4v12" />
      <path strokeLinecap="round" d="M1.5 14.5L18.5 5.5" />
    </svg>
  </span>
)
