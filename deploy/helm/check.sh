#!/usr/bin/env bash
# Checks the chart: lint, rendering of each of cases/*.yaml, what is rendered against the OpenAPI of Kubernetes, and that each
# of cases/wrong/*.yaml is refused. Manifests stay in .cache/helm. Without helm and Go it says so and checks nothing.
set -euo pipefail
cd "$(dirname "$0")/../.."

chart=deploy/helm/muster
tools=$PWD/.cache/go-bin
rendered=.cache/helm
# The oldest that the chart admits, and the newest that the validator carries: it asks no network for schemas.
kubernetes='1.25 1.30'

# tool NAME MODULE@VERSION: an installed program, or else one built once into .cache.
tool() {
  command -v "$1" >/dev/null && return
  if ! command -v go >/dev/null; then
    echo "Left out: the Helm chart, because it needs $1, or Go to build it."
    exit 0
  fi
  echo "Building $2"
  mkdir -p "$tools"
  GOBIN=$tools go install "$2" 2>"$tools/$1.log" || { cat "$tools/$1.log" >&2; exit 1; }
}

PATH=$PATH:$tools
tool helm helm.sh/helm/v3/cmd/helm@v3.22.0
tool kubectl-validate sigs.k8s.io/kubectl-validate@v0.0.4

# A helm that Go built thinks that it knows only Kubernetes 1.20.
render() {
  helm template muster "$chart" --namespace trust --kube-version "$1" "${@:2}"
}

# validate VERSION FILE: all but ServiceMonitor, whose schema is not among those of Kubernetes.
validate() {
  local builtin=$rendered/builtin.yaml log=$rendered/validation.log
  awk 'BEGIN { RS = ORS = "---\n" } !/\nkind: ServiceMonitor\n/' "$2" >"$builtin"
  if grep -q '^kind: ServiceMonitor$' "$2"; then echo '  not validated: ServiceMonitor'; fi
  kubectl-validate --version "$1" "$builtin" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
}

mkdir -p "$rendered"
for case in deploy/helm/cases/*.yaml; do
  name=$(basename "$case" .yaml)
  helm lint --strict --quiet --kube-version 1.30 "$chart" --values "$case"
  for version in $kubernetes; do
    echo "$name on Kubernetes $version"
    render "$version" --values "$case" >"$rendered/$name.yaml"
    validate "$version" "$rendered/$name.yaml"
  done
done

refused=0
for case in deploy/helm/cases/wrong/*.yaml; do
  reason=$(sed -n '1s/^# Refused with: //p' "$case")
  if output=$(render 1.30 --values deploy/helm/cases/minimal.yaml --values "$case" 2>&1); then
    echo "$case was not refused" >&2
    exit 1
  fi
  if ! grep -qF "$reason" <<<"$output"; then
    printf '%s was refused without “%s”:\n%s\n' "$case" "$reason" "$output" >&2
    exit 1
  fi
  refused=$((refused + 1))
done
echo "refused: $refused wrong values"
