"""The Wright-Fisher diffusion: the proportions of K types under mutation and drift, whose
stationary law is Dirichlet(alpha).

Wright (1949), "Adaptation and selection", in Genetics, Paleontology and Evolution; Ethier & Kurtz
(1986), "Markov Processes", chapter 10: mutation to type k at the rate alpha_k / 2 from every type,
covariances (theta_i delta_ij - theta_i theta_j) dt. Their diffusion runs at half the speed of the
one with D = diag(theta) - theta theta^T, so a step here passes the time 2 epsilon of theirs.
"""

from sympy import Matrix, Symbol, log, sqrt

from recipe import Noise, Parameter, Recipe, Simplex, Update, Vector, outer, total

epsilon = Symbol("epsilon", positive=True)

theta = Vector("theta", domain=Simplex())
alpha = Parameter("alpha", like=theta, positive=True)  # mutation to all types but the last
alpha_K = Parameter("alpha_K", positive=True)  # mutation to the last type
pi_K = 1 - total(theta)
H = -total((alpha - 1) * log(theta)) - (alpha_K - 1) * log(pi_K)

# D = B B^T for B = diag(sqrt(theta)) - c theta sqrt(theta)^T, as 2 c - c^2 total(theta) = 1.
c = 1 / (1 + sqrt(pi_K))
w = Noise("w", like=theta)
mutation = (alpha - (total(alpha) + alpha_K) * theta) / 2

wright_fisher_dirichlet = Recipe(
    state=(theta,),
    H=H,
    D=Matrix([[theta - outer(theta, theta)]]),
    Q=Matrix([[0]]),
    noise_factor=Matrix([[sqrt(theta) - c * outer(theta, sqrt(theta))]]),
    source="Ethier & Kurtz (1986), Markov Processes: Characterization and Convergence, chapter 10",
    update=Update(
        step=epsilon,
        target=H,
        rule={
            theta: theta
            + (2 * epsilon) * mutation
            + sqrt(2 * epsilon) * (sqrt(theta) * w - c * theta * total(sqrt(theta) * w))
        },
    ),
)
