import { type Enrollment, osqueryFiles } from './osquery-files.ts'

const folder = String.raw`C:\Program Files\osquery`

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64')

/**
 * A PowerShell script for administrators that configures an installed osquery and starts it. Every value is base64,
 * because PowerShell takes five characters for a quote; the script itself is ASCII, which every code page reads alike.
 */
export function osqueryOnWindows(version: string, enrollment: Enrollment): string {
  const files = osqueryFiles(enrollment, (name) => `${folder}\\muster\\${name}`)
  const [flags, ...others] = files
  const writes = others.map(({ name, isSecret, content }) => {
    return `Write-MusterFile "$folder\\muster\\${name}" '${base64(content)}' $${isSecret}`
  })
  const lines = `#Requires -RunAsAdministrator
# Muster ${version}: configures osquery so that this computer enrolls.
# Run it in PowerShell as administrator: powershell -ExecutionPolicy Bypass -File <this file>
# It contains an enrollment secret: anyone who reads it can enroll a device.
Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$folder = '${folder}'

function Write-MusterFile([string] $path, [string] $base64, [bool] $isSecret) {
  if (Test-Path -LiteralPath $path) { Remove-Item -LiteralPath $path -Force }
  New-Item -ItemType File -Path $path | Out-Null
  if ($isSecret) {
    # Before it holds anything. By their identifiers: Windows translates the names of SYSTEM and Administrators.
    & icacls.exe $path /inheritance:r /grant '*S-1-5-18:R' '*S-1-5-32-544:F' | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "The secret cannot be protected: icacls ended with $LASTEXITCODE" }
  }
  [IO.File]::WriteAllBytes($path, [Convert]::FromBase64String($base64))
}

New-Item -ItemType Directory -Force -Path "$folder\\muster" | Out-Null
${writes.join('\n')}
$flags = "$folder\\osquery.flags"
$ours = [Text.Encoding]::UTF8.GetString([Convert]::FromBase64String('${base64(flags?.content ?? '')}'))
if ((Test-Path -LiteralPath $flags) -and (Get-Item -LiteralPath $flags).Length -gt 0) {
  $theirs = [IO.File]::ReadAllText($flags)
  if (($theirs -ne $ours) -and (-not $theirs.Contains("$folder\\muster\\"))) {
    Copy-Item -LiteralPath $flags -Destination "$flags.before-muster" -Force
    Write-Output "muster-osquery: the flag file that was there is kept as $flags.before-muster"
  }
}
[IO.File]::WriteAllText($flags, $ours)

if (Get-Service -Name osqueryd -ErrorAction SilentlyContinue) {
  Set-Service -Name osqueryd -StartupType Automatic
  Restart-Service -Name osqueryd
  Write-Output 'muster-osquery: osqueryd is enabled and restarted'
} else {
  Write-Output 'muster-osquery: osquery is not installed. Install osquery 5 from https://osquery.io/downloads;'
  Write-Output 'then run this script again.'
}
`
  return lines.replaceAll('\n', '\r\n')
}
