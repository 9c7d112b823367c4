#pragma once
// Which columns the principal components are made of: their loadings, turned until each component is made of
// few columns (Kaiser: The varimax criterion for analytic rotation in factor analysis, 1958).
#include "learn/principal_components.hpp"

namespace hoist::learn {

/// Loadings: a row for each column of the examples, a column for each component, the covariance of the two
/// where components have the variance 1. `centred` is what the components were made from.
Matrix loadings(const PrincipalComponents& components, const Matrix& centred);

/// The loadings after the rotation of the components that maximises the variance of their squares, summed
/// over the components. The sum of a row's squares stays.
Matrix varimax(const Matrix& loadings);

/// What share of the variance that all components hold comes from each row of the loadings, in each
/// component: numbers that add up to 1. The sum of a row, a feature's importance, is the same before and
/// after the rotation; the rotation tells which features belong together.
Matrix variance_shares(const Matrix& loadings);

}  // namespace hoist::learn
