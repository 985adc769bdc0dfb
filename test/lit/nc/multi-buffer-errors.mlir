// RUN: kiln-opt %s --nc-multi-buffer=copies=0 --verify-diagnostics

// expected-error @+1 {{[KILN-C111] nc-multi-buffer needs at least 1 copy, found 0}}
func.func @none() {
  return
}
