import { Link } from '@tanstack/react-router'
import { asTab, Tabs } from '../components/tabs.tsx'

export const ReportTabs = () => (
  <div className="tabs-bar">
    <Tabs label="Reporting">
      <Link to="/reporting/tables" {...asTab}>
        Tables
      </Link>
      <Link to="/reporting/queries" {...asTab}>
        Queries
      </Link>
    </Tabs>
  </div>
)
